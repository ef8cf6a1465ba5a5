// Four rows of one block times columns of f32: values are made of codes, and summed in the four
// lanes that matmul.h prescribes.
#pragma once

#include <algorithm>

#include "kernels/matmul/lanes.h"
#include "kernels/matmul/row_codes.h"

#if defined(PACKED_SIMD)

namespace packed {

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
inline void multiplyShort(const float* w, std::size_t count, const float* x, std::size_t xStride,
                          uint64_t columns, float* y, std::size_t yStride) {
  const std::size_t padded = (count + 3) / 4 * 4;
  alignas(16) float ws[4 * kPlainChunk] = {}, xs[kPlainChunk] = {};
  for (uint64_t r = 0; r < 4; ++r) std::copy_n(w + r * count, count, ws + r * padded);
  for (uint64_t c = 0; c < columns; ++c) {
    std::copy_n(x + c * xStride, count, xs);
    multiplyFour<1, false>(ws, padded, xs, 0, y + c * yStride, yStride);
  }
}

// The same for rows whose values lie side by side, w[value][wStride], in eights, to which w and y are
// padded: each lane that matmul.h prescribes is two vectors, of four rows each.
inline PACKED_NOINLINE void multiplySideBySide(const float* w, std::size_t wStride, uint64_t rows,
                                               std::size_t count, const float* x, float* y) {
  for (uint64_t r = 0; r < rows; r += 8, w += 8, y += 8) {
    Vector low[4] = {zero(), zero(), zero(), zero()};
    Vector high[4] = {zero(), zero(), zero(), zero()};
    const float* at = w;
    const auto add = [&](int lane, std::size_t i) __attribute__((always_inline)) {
      const Vector xs = loadSplat32(x + i);
      low[lane] = wasm_f32x4_add(low[lane], wasm_f32x4_mul(load(at), xs));
      high[lane] = wasm_f32x4_add(high[lane], wasm_f32x4_mul(load(at + 4), xs));
      at += wStride;
    };
    std::size_t i = 0;
    PACKED_ROLLED
    for (; i + 4 <= count; i += 4) {
      PACKED_UNROLL
      for (int lane = 0; lane < 4; ++lane) add(lane, i + lane);
    }
    PACKED_UNROLL
    for (int lane = 0; lane < 3; ++lane) {
      if (i + lane < count) add(lane, i + lane);
    }
    PACKED_UNROLL
    for (int half = 0; half < 2; ++half) {
      const Vector* l = half ? high : low;
      const Vector sum = wasm_f32x4_add(wasm_f32x4_add(l[0], l[2]), wasm_f32x4_add(l[1], l[3]));
      store(y + 4 * half, wasm_f32x4_add(load(y + 4 * half), sum));
    }
  }
}

}  // namespace packed

#endif
