#include "kernels/matmul/exact.h"

#if defined(PACKED_SIMD)

#include <algorithm>
#include <cstring>

#include "encoding/codec.h"
#include "kernels/matmul/lanes.h"

namespace packed {
namespace {

// Rows that pass by one block of x: as many as keep a tile of y, and in kernel order their blocks,
// close.
constexpr uint64_t kTileRows = 64;

// Four rows of w times one or two columns of x, each summed in four lanes, added to
// y[column][kTileRows]. Rows stand one after the other, or `together`: a vector of each in turn,
// which takes a single address.
template <int columns, bool together>
PACKED_INLINE void multiplyFour(const float* w, std::size_t count, const float* x,
                                std::size_t xStride, float* y) {
  const std::size_t rowStep = together ? 4 : count;
  Vector lanes[2][4];
  PACKED_UNROLL
  for (int c = 0; c < columns; ++c) {
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) lanes[c][r] = wasm_f32x4_splat(0);
  }
  PACKED_ROLLED
  for (const float* end = x + count; x != end; x += 4, w += together ? 16 : 4) {
    Vector xs[2];
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) xs[c] = load(x + c * xStride);
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      const Vector weights = load(w + r * rowStep);
      PACKED_UNROLL
      for (int c = 0; c < columns; ++c) {
        lanes[c][r] = wasm_f32x4_add(lanes[c][r], wasm_f32x4_mul(weights, xs[c]));
      }
    }
  }
  PACKED_UNROLL
  for (int c = 0; c < columns; ++c) {
    float* to = y + c * kTileRows;
    const Vector* l = lanes[c];
    store(to, wasm_f32x4_add(load(to), sumLanesF32(l[0], l[1], l[2], l[3])));
  }
}

template <bool together>
PACKED_NOINLINE void multiplyColumns(const float* w, std::size_t count, const float* x,
                                     std::size_t xStride, uint64_t columns, float* y) {
  for (; columns >= 2; columns -= 2, x += 2 * xStride, y += 2 * kTileRows) {
    multiplyFour<2, together>(w, count, x, xStride, y);
  }
  if (columns > 0) multiplyFour<1, together>(w, count, x, xStride, y);
}

// The last chunk of a PLAIN row may be short: zeros up to whole vectors add nothing to a lane (no
// lane is ever -0, because it starts at +0).
void multiplyShort(const float* w, std::size_t count, const float* x, std::size_t xStride,
                   uint64_t columns, float* y) {
  const std::size_t padded = (count + 3) / 4 * 4;
  alignas(16) float ws[4 * kPlainChunk] = {}, xs[kPlainChunk] = {};
  for (uint64_t r = 0; r < 4; ++r) std::copy_n(w + r * count, count, ws + r * padded);
  for (uint64_t c = 0; c < columns; ++c) {
    std::copy_n(x + c * xStride, count, xs);
    multiplyFour<1, false>(ws, padded, xs, 0, y + c * kTileRows);
  }
}

// Blocks first..first + count - 1 of one row.
void decodeRow(const MatmulCall& call, const EncodingSpec& spec, uint64_t o, uint64_t first,
               uint64_t count, float* to) {
  if (call.strides.block == 1) {
    return decodeBlocks(spec.encoding, call.blocks + call.strides.at(o, first) * spec.bytes, count,
                        to);
  }
  for (uint64_t i = 0; i < count; ++i) {
    const uint8_t* block = call.blocks + call.strides.at(o, first + i) * spec.bytes;
    decodeBlocks(spec.encoding, block, 1, to + i * spec.elements);
  }
}

}  // namespace

uint64_t exactWorkspace(const MatmulShape& shape) {
  return shape.columns * kTileRows * sizeof(float);
}

void runExact(const ExactKernel& kernel, const MatmulCall& call) {
  const EncodingSpec& spec = specOf(kernel.encoding);
  const uint64_t out = call.grid.out;
  const uint64_t blocks = call.grid.blocksPerRow;
  if (out == 0 || call.columns == 0) return;
  const uint64_t chunkBlocks = spec.blocked() ? 1 : kPlainChunk / spec.elements;
  auto* y = reinterpret_cast<float*>(call.workspace);
  alignas(16) float w[4 * kMaxBlockElements];
  for (uint64_t o0 = 0; o0 < out; o0 += kTileRows) {
    const uint64_t rows = std::min(kTileRows, out - o0);
    std::fill_n(y, call.columns * kTileRows, 0.0f);
    for (uint64_t first = 0; first < blocks; first += chunkBlocks) {
      const uint64_t count = std::min(chunkBlocks, blocks - first);
      const uint64_t values = count * spec.elements;
      const auto multiply = kernel.decode     ? &multiplyColumns<true>
                            : values % 4 == 0 ? &multiplyColumns<false>
                                              : &multiplyShort;
      const float* x = call.x + first * spec.elements;
      for (uint64_t r = 0; r < rows; r += 4) {
        const uint8_t* at[4];
        for (uint64_t i = 0; i < 4; ++i) {
          const uint64_t o = o0 + std::min(r + i, rows - 1);
          at[i] = call.blocks + call.strides.at(o, first) * spec.bytes;
          if (!kernel.decode) decodeRow(call, spec, o, first, count, w + i * values);
        }
        if (kernel.decode) kernel.decode(at, w);
        multiply(w, static_cast<std::size_t>(values), x, static_cast<std::size_t>(call.inputDim),
                 call.columns, y + r);
      }
    }
    for (uint64_t c = 0; c < call.columns; ++c) {
      std::memcpy(call.y + c * out + o0, y + c * kTileRows,
                  static_cast<std::size_t>(rows * sizeof(float)));
    }
  }
}

}  // namespace packed

#endif  // PACKED_SIMD
