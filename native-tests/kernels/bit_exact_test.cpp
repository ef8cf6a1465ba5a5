#include <doctest/doctest.h>

#include <limits>

#include "kernels/kernel_harness.h"
#include "kernels/relaxed_probe.h"

namespace packed {
namespace {

// Calls check(kernel) for every vector kernel that claims the scalar specification's bits; relaxed
// ones under each semantics that an engine may have.
template <class Check>
void forEachClaim(Check check) {
  for (const KernelInfo& kernel : allMatmulKernels()) {
    if (kernel.isa == Isa::SCALAR || !kernel.bitExactWithScalar) continue;
    CAPTURE(kernel.name);
    if (kernel.isa != Isa::RELAXED) {
      check(kernel);
      continue;
    }
#if defined(PACKED_SIMDE)
    for (const auto dot : {RelaxedDot::NARROW, RelaxedDot::UNSIGNED, RelaxedDot::SIGNED}) {
      CAPTURE(nameOf(dot));
      emulateRelaxedDot(dot);
      check(kernel);
    }
#endif
  }
}

void checkEqual(const KernelInfo& kernel, const MatmulCall& call) {
  CAPTURE(call.grid.out);
  CAPTURE(call.grid.blocksPerRow);
  CAPTURE(call.columns);
  CHECK(firstDifference(runKernel(kernel, call), runScalar(kernel, call)) == -1);
}

}  // namespace

TEST_CASE("kernels: every row count from 1 to 67 gives the scalar bits") {
  forEachClaim([](const KernelInfo& kernel) {
    for (uint64_t out = 1; out <= 67; ++out) {
      const Operands operands = randomOperands(kernel, {out, 1 + out % 3}, 1, uint32_t(out));
      checkEqual(kernel, operands.call);
    }
  });
}

TEST_CASE("kernels: every column count from 1 to 9, 12 and 33, gives the scalar bits") {
  forEachClaim([](const KernelInfo& kernel) {
    for (uint64_t columns : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 33}) {
      for (uint64_t out : {1, 8, 11}) {
        const Operands operands =
            randomOperands(kernel, {out, 2}, columns, uint32_t(100 + columns));
        checkEqual(kernel, operands.call);
      }
    }
  });
}

TEST_CASE("kernels: more rows than pass together in a GEMM give the scalar bits") {
  forEachClaim([](const KernelInfo& kernel) {
    checkEqual(kernel, randomOperands(kernel, {67, 2}, 13, 300).call);
  });
}

TEST_CASE("kernels: rows give the scalar bits whether or not they are brought first") {
  // Two stretches (base/faster_way.h), which go both ways at first. Of all blocks, and of every
  // other one up to the end of the memory.
  forEachClaim([](const KernelInfo& kernel) {
    if (kernel.activation != Activation::INT8 || kernel.order != BlockOrder::ROW_MAJOR) return;
    const uint64_t blocksPerRow = specOf(kernel.encoding).elements == 256 ? 5 : 17;
    Operands operands = randomOperands(kernel, {1030, blocksPerRow}, 1, 400);
    checkEqual(kernel, operands.call);
    operands.call.grid.blocksPerRow = (blocksPerRow + 1) / 2;
    operands.call.inputDim = operands.call.grid.blocksPerRow * specOf(kernel.encoding).elements;
    operands.call.strides.block *= 2;
    checkEqual(kernel, operands.call);
  });
}

TEST_CASE("kernels: the numbers are the same before the accelerators come") {
  useAccelerators(false);
  forEachClaim([](const KernelInfo& kernel) {
    if (kernel.activation != Activation::INT8) return;
    for (uint64_t columns : {2, 3, 5, 7}) {
      checkEqual(kernel, randomOperands(kernel, {11, 2}, columns, uint32_t(200 + columns)).call);
    }
  });
  useAccelerators(true);
}

TEST_CASE("kernels: strides of a narrowed view are read") {
  forEachClaim([](const KernelInfo& kernel) {
    if (!kernel.readsStrides) return;
    for (uint64_t columns : {1, 3, 13}) {
      Operands operands = randomOperands(kernel, {13, 7}, columns, 7);
      // Rows 3..12, blocks 2..5 of it.
      const GridStrides strides = operands.call.strides;
      operands.call.blocks += strides.at(3, 2) * specOf(kernel.encoding).bytes;
      operands.call.grid = {10, 4};
      operands.call.inputDim = 4 * specOf(kernel.encoding).elements;
      checkEqual(kernel, operands.call);
      // Every third row of all, every other block: the last ones end where the memory does.
      operands.point();
      operands.call.grid = {5, 4};
      operands.call.strides = {3 * strides.row, 2 * strides.block};
      checkEqual(kernel, operands.call);
    }
  });
}

TEST_CASE("kernels: plain rows whose values lie side by side give the scalar bits") {
  forEachClaim([](const KernelInfo& kernel) {
    if (specOf(kernel.encoding).blocked()) return;
    for (uint64_t out : {1, 3, 4, 31, 33, 66, 1030}) {
      for (uint64_t inputDim : {1, 3, 31, 32, 33, 66, 101}) {
        for (uint64_t columns : {1, 2, 5}) {
          // As a transposed view says it: the grid turned, and a part of what lies there.
          Operands operands = randomOperands(kernel, {inputDim, out + 2}, 1, uint32_t(out));
          operands.x = randomOperands(kernel, {1, inputDim}, columns, 17).x;
          operands.point();
          operands.call.blocks += specOf(kernel.encoding).bytes;
          operands.call.grid = {out, inputDim};
          operands.call.strides = {1, out + 2};
          operands.call.inputDim = inputDim;
          operands.call.columns = columns;
          checkEqual(kernel, operands.call);
        }
      }
    }
  });
}

TEST_CASE("kernels: activations of zero, subnormal, equal and extreme size give the scalar bits") {
  forEachClaim([](const KernelInfo& kernel) {
    constexpr float kPatterns[] = {0.0f,
                                   -0.0f,
                                   std::numeric_limits<float>::denorm_min(),
                                   -std::numeric_limits<float>::min() / 3,
                                   std::numeric_limits<float>::max(),
                                   -1e30f,
                                   1.0f,
                                   -1.0f};
    for (uint64_t columns : {1, 3, 12}) {
      Operands operands = randomOperands(kernel, {9, 2}, columns, 11);
      std::mt19937 random(12);
      for (const float pattern : kPatterns) {
        for (std::size_t i = 0; i < operands.x.size(); ++i) operands.x[i] = pattern;
        checkEqual(kernel, operands.call);
        // Half-way cases of the rounding: multiples of half a step.
        for (std::size_t i = 0; i < operands.x.size(); ++i) {
          operands.x[i] = pattern * ((float(random() % 509) - 254) / 254);
        }
        checkEqual(kernel, operands.call);
      }
    }
  });
}

TEST_CASE("kernels: worst-case codes and scales do not overflow") {
  forEachClaim([](const KernelInfo& kernel) {
    if (!specOf(kernel.encoding).blocked()) return;
    for (uint64_t columns : {1, 3, 12}) {
      for (const int byte : {0x00, 0xff, 0x7f, 0x80, 0x88, 0x77}) {
        Operands operands = randomOperands(kernel, {5, 2}, columns, 13);
        for (uint8_t& b : operands.blocks) b = uint8_t(byte);
        // Scales that are finite again, where 0xff made them NaN: the last two and the first four
        // bytes.
        const uint32_t size = specOf(kernel.encoding).bytes;
        for (std::size_t at = 0; at < operands.blocks.size(); at += size) {
          for (const uint32_t i : {1u, 3u, size - 1, size - 3}) {
            operands.blocks[at + i] = uint8_t(0x3c);
          }
        }
        // Each lane of a vector of sixteen bytes with a sign of its own: sums that start with what
        // takes the zero point off come to most where the others are against them.
        for (unsigned negative = 0; negative < 16; negative += columns == 1 ? 1 : 15) {
          CAPTURE(negative);
          for (std::size_t i = 0; i < operands.x.size(); ++i) {
            operands.x[i] = negative >> i / 4 % 4 & 1 ? -1.0f : 1.0f;
          }
          checkEqual(kernel, operands.call);
        }
      }
    }
  });
}

TEST_CASE("kernels: a weight without rows, blocks or columns leaves nothing unwritten") {
  forEachClaim([](const KernelInfo& kernel) {
    const Operands none = randomOperands(kernel, {0, 2}, 3, 1);
    CHECK(runKernel(kernel, none.call).empty());
    const Operands noBlocks = randomOperands(kernel, {3, 0}, 1, 1);
    CHECK(runKernel(kernel, noBlocks.call) == std::vector<float>(3, 0.0f));
    const Operands noColumns = randomOperands(kernel, {3, 1}, 0, 1);
    CHECK(runKernel(kernel, noColumns.call).empty());
  });
}

}  // namespace packed
