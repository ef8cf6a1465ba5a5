#include "kernels/matmul/exact.h"

#if defined(PACKED_SIMD)

#include <algorithm>
#include <cstring>

#include "encoding/codec.h"
#include "kernels/matmul/lanes.h"

namespace packed {
namespace {

// Rows of a row-major weight that pass by one block of x: few enough to stay in the second-level
// cache from one block to the next.
constexpr uint64_t kTileRows = RowCodes::kRows;

// More in kernel order, as long as y stays in the first-level cache: their blocks lie side by side,
// while the next block of a row is often whole pages away.
uint64_t tileRows(uint64_t columns) {
  constexpr uint64_t kResults = 4096;
  return std::max(kTileRows, kResults / std::max<uint64_t>(1, columns) / 4 * 4);
}

// Bytes under the exponent of 2^23 are floats already: 2^23 + code. Taking off 2^23 and the zero
// point is exact and cheaper than widening and converting.
struct ToFloat {
  Vector none, exponent, offset;
  explicit ToFloat(int zeroPoint)
      : none(zero()), exponent(splat16(0x4b00)), offset(splat32(0x4b000000 + zeroPoint)) {}
};

// Sixteen codes, times scale, minus minimum, as four vectors.
template <bool minimum>
PACKED_INLINE void sixteenValues(const ToFloat& to, const uint8_t* codes, const float* scale,
                                 const float* least, Vector values[4]) {
  const Vector bytes = load(codes), factor = loadSplat32(scale);
  const Vector low =
      wasm_i8x16_shuffle(bytes, to.none, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const Vector high = wasm_i8x16_shuffle(bytes, to.none, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
                                         29, 14, 30, 15, 31);
  values[0] = wasm_i16x8_shuffle(low, to.exponent, 0, 8, 1, 9, 2, 10, 3, 11);
  values[1] = wasm_i16x8_shuffle(low, to.exponent, 4, 12, 5, 13, 6, 14, 7, 15);
  values[2] = wasm_i16x8_shuffle(high, to.exponent, 0, 8, 1, 9, 2, 10, 3, 11);
  values[3] = wasm_i16x8_shuffle(high, to.exponent, 4, 12, 5, 13, 6, 14, 7, 15);
  PACKED_UNROLL
  for (int k = 0; k < 4; ++k) {
    values[k] = wasm_f32x4_mul(factor, wasm_f32x4_sub(values[k], to.offset));
    if (minimum) values[k] = wasm_f32x4_sub(values[k], loadSplat32(least));
  }
}

// y[o] += rows times a single x, whose values meet those of the weight as they are made.
template <bool minimum>
PACKED_NOINLINE void multiplySingle(const CodesFormat& format, const RowCodes& w, uint64_t rows,
                                    const float* x, float* y) {
  const ToFloat to(format.zeroPoint);
  const std::size_t elements = format.elements, groups = format.groups;
  const std::size_t group = elements / groups;
  const uint8_t* codes = w.codes;
  const float* scales = w.scales;
  const float* minimums = w.minimums;
  for (uint64_t row = 0; row < rows; row += 4, y += 4) {
    Vector lanes[4] = {zero(), zero(), zero(), zero()};
    for (std::size_t value = 0, end = group; value != elements; end += group) {
      PACKED_ROLLED
      for (; value != end; value += 16, codes += 16) {
        const Vector xs[4] = {load(x + value), load(x + value + 4), load(x + value + 8),
                              load(x + value + 12)};
        PACKED_UNROLL
        for (std::size_t r = 0; r < 4; ++r) {
          Vector values[4];
          sixteenValues<minimum>(to, codes + r * elements, scales + r * groups,
                                 minimums + r * groups, values);
          PACKED_UNROLL
          for (int k = 0; k < 4; ++k) {
            lanes[r] = wasm_f32x4_add(lanes[r], wasm_f32x4_mul(values[k], xs[k]));
          }
        }
      }
      ++scales;
      ++minimums;
    }
    codes += 3 * elements;
    scales += 3 * groups;
    minimums += 3 * groups;
    store(y, wasm_f32x4_add(load(y), sumLanesF32(lanes[0], lanes[1], lanes[2], lanes[3])));
  }
}

// Four rows' values, a vector of each in turn.
template <bool minimum>
PACKED_NOINLINE void expandFour(const CodesFormat& format, const RowCodes& w, uint64_t row,
                                float* to) {
  const ToFloat toFloat(format.zeroPoint);
  const std::size_t elements = format.elements, groups = format.groups;
  const std::size_t group = elements / groups;
  for (std::size_t r = row; r < row + 4; ++r, to += 4) {
    const uint8_t* codes = w.codes + r * elements;
    float* place = to;
    for (std::size_t g = r * groups; g < (r + 1) * groups; ++g) {
      PACKED_ROLLED
      for (std::size_t i = 0; i < group; i += 16, codes += 16, place += 64) {
        Vector values[4];
        sixteenValues<minimum>(toFloat, codes, w.scales + g, w.minimums + g, values);
        PACKED_UNROLL
        for (int k = 0; k < 4; ++k) store(place + 16 * k, values[k]);
      }
    }
  }
}

// Four rows of w times one or two columns of x, each summed in four lanes, added to
// y[column][yStride]. Rows stand one after the other, or `together`: a vector of each in turn,
// which takes a single address.
template <int columns, bool together>
PACKED_INLINE void multiplyFour(const float* w, std::size_t count, const float* x,
                                std::size_t xStride, float* y, std::size_t yStride) {
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
    float* to = y + c * yStride;
    const Vector* l = lanes[c];
    store(to, wasm_f32x4_add(load(to), sumLanesF32(l[0], l[1], l[2], l[3])));
  }
}

template <bool together>
PACKED_NOINLINE void multiplyColumns(const float* w, std::size_t count, const float* x,
                                     std::size_t xStride, uint64_t columns, float* y,
                                     std::size_t yStride) {
  for (; columns >= 2; columns -= 2, x += 2 * xStride, y += 2 * yStride) {
    multiplyFour<2, together>(w, count, x, xStride, y, yStride);
  }
  if (columns > 0) multiplyFour<1, together>(w, count, x, xStride, y, yStride);
}

// The last chunk of a PLAIN row may be short: zeros up to whole vectors add nothing to a lane (no
// lane is ever -0, because it starts at +0).
void multiplyShort(const float* w, std::size_t count, const float* x, std::size_t xStride,
                   uint64_t columns, float* y, std::size_t yStride) {
  const std::size_t padded = (count + 3) / 4 * 4;
  alignas(16) float ws[4 * kPlainChunk] = {}, xs[kPlainChunk] = {};
  for (uint64_t r = 0; r < 4; ++r) std::copy_n(w + r * count, count, ws + r * padded);
  for (uint64_t c = 0; c < columns; ++c) {
    std::copy_n(x + c * xStride, count, xs);
    multiplyFour<1, false>(ws, padded, xs, 0, y + c * yStride, yStride);
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

// One block of some rows, or a chunk of plain values, times all columns.
struct Part {
  uint64_t o, rows, first, count;  // rows; blocks of each
  const float* x;
  float* y;
  std::size_t yStride;
};

void multiplyCodes(const CodesFormat& format, const MatmulCall& call, const Part& part,
                   RowCodes& codes, float* w) {
  const EncodingSpec& spec = specOf(format.encoding);
  const uint64_t together = format.rowsTogether();
  for (uint64_t r = 0; r < part.rows; r += together) {
    const uint64_t rows = std::min(together, part.rows - r);
    const uint8_t* blocks = call.blocks + call.strides.at(part.o + r, part.first) * spec.bytes;
    format.decode({blocks, rows, 1, call.strides.row * spec.bytes, 0}, 0, codes);
    float* y = part.y + r;
    if (call.columns == 1) {
      const auto multiply = format.minimum ? &multiplySingle<true> : &multiplySingle<false>;
      multiply(format, codes, rows, part.x, y);
      continue;
    }
    const auto expand = format.minimum ? &expandFour<true> : &expandFour<false>;
    for (uint64_t row = 0; row < rows; row += 4) {
      expand(format, codes, row, w);
      multiplyColumns<true>(w, format.elements, part.x, static_cast<std::size_t>(call.inputDim),
                            call.columns, y + row, part.yStride);
    }
  }
}

void multiplyDecoded(Encoding encoding, const MatmulCall& call, const Part& part, float* w) {
  const EncodingSpec& spec = specOf(encoding);
  const uint64_t values = part.count * spec.elements;
  const auto multiply = values % 4 == 0 ? &multiplyColumns<false> : &multiplyShort;
  for (uint64_t r = 0; r < part.rows; r += 4) {
    for (uint64_t i = 0; i < 4; ++i) {
      const uint64_t o = part.o + std::min(r + i, part.rows - 1);
      decodeRow(call, spec, o, part.first, part.count, w + i * values);
    }
    multiply(w, static_cast<std::size_t>(values), part.x, static_cast<std::size_t>(call.inputDim),
             call.columns, part.y + r, part.yStride);
  }
}

}  // namespace

uint64_t exactWorkspace(const MatmulShape& shape) {
  return shape.columns * tileRows(shape.columns) * sizeof(float);
}

void runExact(const CodesFormat& format, const MatmulCall& call) {
  const EncodingSpec& spec = specOf(format.encoding);
  const uint64_t out = call.grid.out;
  const uint64_t blocks = call.grid.blocksPerRow;
  if (out == 0 || call.columns == 0) return;
  const uint64_t chunk = spec.blocked() ? 1 : kPlainChunk / spec.elements;
  const bool sideBySide = call.strides.row < call.strides.block;
  const uint64_t tile = sideBySide ? tileRows(call.columns) : kTileRows;
  auto* y = reinterpret_cast<float*>(call.workspace);
  alignas(16) float w[4 * kMaxBlockElements];
  alignas(16) RowCodes codes;
  for (uint64_t o = 0; o < out; o += tile) {
    const uint64_t rows = std::min(tile, out - o);
    std::fill_n(y, call.columns * tile, 0.0f);
    if (!sideBySide && format.decode) {
      bringRows({call.blocks + call.strides.at(o, 0) * spec.bytes, rows, blocks,
                 call.strides.row * spec.bytes, call.strides.block * spec.bytes});
    }
    for (uint64_t first = 0; first < blocks; first += chunk) {
      const Part part = {o,
                         rows,
                         first,
                         std::min(chunk, blocks - first),
                         call.x + first * spec.elements,
                         y,
                         static_cast<std::size_t>(tile)};
      if (format.decode) {
        multiplyCodes(format, call, part, codes, w);
      } else {
        multiplyDecoded(format.encoding, call, part, w);
      }
    }
    for (uint64_t c = 0; c < call.columns; ++c) {
      std::memcpy(call.y + c * out + o, y + c * tile,
                  static_cast<std::size_t>(rows * sizeof(float)));
    }
  }
}

}  // namespace packed

#endif  // PACKED_SIMD
