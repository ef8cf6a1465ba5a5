#include "kernels/self_check.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>

#include "base/allocate.h"
#include "kernels/kernel_info.h"
#include "kernels/matmul/scalar.h"

namespace packed {
namespace {

constexpr uint64_t kRows = 9;
constexpr uint64_t kBlocks = 2;
constexpr uint64_t kMostColumns = 12;
constexpr uint64_t kMostValues = kBlocks * 256;
constexpr uint64_t kMostBlockBytes = 512;

struct Operands {
  uint8_t blocks[kRows * kBlocks * kMostBlockBytes];
  float x[kMostColumns * kMostValues];
  float y[kMostColumns * kRows];
  float expected[kMostColumns * kRows];
};

// Known bytes from a multiplicative generator. The large pass has scales of any size, infinity and
// NaN among them, which a kernel may leave to the scalar one; the ordinary pass has none, so that
// every kernel of blocks computes itself.
void fill(Operands& operands, bool large) {
  uint32_t state = 12345;
  const auto next = [&state] { return (state = state * 1664525u + 1013904223u) >> 16; };
  for (uint8_t& byte : operands.blocks) {
    byte = static_cast<uint8_t>(next());
    const bool topExponent = (byte & 0x7c) == 0x7c || byte >= 0xf0;
    if (!large && topExponent) byte ^= 0x40;
  }
  for (float& x : operands.x) {
    x = large ? (next() % 64 == 0 ? -1.0f : 1.0f)
              : (static_cast<float>(next() % 2001) - 1000) / 256;
  }
}

bool sameNumbers(const float* a, const float* b, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const bool bothNan = a[i] != a[i] && b[i] != b[i];
    if (!bothNan && std::memcmp(a + i, b + i, sizeof(float)) != 0) return false;
  }
  return true;
}

bool allFinite(const float* numbers, uint64_t count) {
  return std::all_of(numbers, numbers + count, [](float number) { return std::isfinite(number); });
}

enum class Outcome { HOLDS, DIFFERS, NO_MEMORY };

Outcome compare(const KernelInfo& kernel, uint64_t columns, bool large, Operands& operands) {
  const EncodingSpec& spec = specOf(kernel.encoding);
  MatmulCall call;
  call.grid = {kRows, spec.blocked() ? kBlocks : 2 * 32 + 7};
  call.strides = stridesOf(kernel.order, call.grid);
  call.inputDim = call.grid.blocksPerRow * spec.elements;
  call.blocks = operands.blocks;
  call.x = operands.x;
  call.columns = columns;
  const MatmulShape shape = {kRows, call.inputDim, columns};
  const uint64_t size = kernel.workspaceBytes(shape) + scalarWorkspaceInt8(kernel.encoding, shape);
  const std::unique_ptr<uint8_t, decltype(&std::free)> scratch(allocateLines(size), &std::free);
  if (!scratch) return Outcome::NO_MEMORY;
  call.workspace = scratch.get();
  call.y = operands.y;
  kernel.run(call);
  call.y = operands.expected;
  if (kernel.activation == Activation::INT8) {
    scalarMatmulInt8(kernel.encoding, kernel.order, call);
  } else {
    scalarMatmulF32(kernel.encoding, kernel.order, call);
  }
  const uint64_t count = columns * kRows;
  const bool holds = sameNumbers(operands.y, operands.expected, count) &&
                     (large || !spec.blocked() || allFinite(operands.expected, count));
  return holds ? Outcome::HOLDS : Outcome::DIFFERS;
}

SelfCheck checkWith(Isa isa, std::initializer_list<uint64_t> columnCounts) {
  const std::unique_ptr<Operands> operands(new (std::nothrow) Operands);
  constexpr SelfCheck kNoMemory{false, "no memory"};
  if (!operands) return kNoMemory;
  for (const bool large : {false, true}) {
    fill(*operands, large);
    for (const KernelInfo& kernel : allMatmulKernels()) {
      if (kernel.isa != isa || !kernel.bitExactWithScalar) continue;
      for (const uint64_t columns : columnCounts) {
        const Outcome outcome = compare(kernel, columns, large, *operands);
        if (outcome == Outcome::NO_MEMORY) return kNoMemory;
        if (outcome == Outcome::DIFFERS) return {false, kernel.name};
      }
    }
  }
  return {};
}

}  // namespace

// GEMVs of one, two and three columns, and the GEMM.
SelfCheck runSelfCheck(Isa isa) { return checkWith(isa, {1, 2, 3, kMostColumns}); }

SelfCheck checkAccelerators(Isa isa) { return checkWith(isa, {2, 3, kMostColumns}); }

}  // namespace packed
