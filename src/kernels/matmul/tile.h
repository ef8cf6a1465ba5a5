// Eight rows by four columns of sums: the inner loop of every GEMM. Each step takes the next two
// vectors of the panel (rows 0..3 and 4..7) and the next 32 bits of four columns.
#pragma once

#include "kernels/relaxed_simd.h"

#if defined(PACKED_SIMD)

namespace packed {

struct WideStep {
  static PACKED_INLINE Vector add(Vector codes, Vector x, Vector sum) {
    return add32(sum, dot16(codes, x));
  }
};

#if defined(PACKED_RELAXED_SIMD)
struct BytesStep32 {
  static PACKED_INLINE Vector add(Vector codes, Vector x, Vector sum) {
    return relaxedDot32(codes, x, sum);
  }
};
struct BytesStep16 {
  static PACKED_INLINE Vector add(Vector codes, Vector x, Vector sum) {
    return wasm_i16x8_add(sum, relaxedDot16(codes, x));
  }
};
#endif

struct Tile {
  Vector sum[8];  // [column][rows 0..3, 4..7]

  PACKED_INLINE void clear() {
    PACKED_UNROLL
    for (Vector& v : sum) v = zero();
  }

  // Each column starts with its number. (Nothing is calculated here: the sums would wait for it.)
  PACKED_INLINE void start(const int16_t* numbers) {
    PACKED_UNROLL
    for (int c = 0; c < 4; ++c) sum[2 * c] = sum[2 * c + 1] = loadSplat32(numbers + 2 * c);
  }

  template <class Step>
  PACKED_INLINE void accumulate(const Vector* codes, const uint8_t* x, uint32_t steps) {
    Vector a0 = sum[0], a1 = sum[1], a2 = sum[2], a3 = sum[3];
    Vector a4 = sum[4], a5 = sum[5], a6 = sum[6], a7 = sum[7];
    const Vector* const end = codes + 2 * steps;
    PACKED_ROLLED
    do {
      const Vector first = codes[0], second = codes[1];
      const Vector x0 = loadSplat32(x), x1 = loadSplat32(x + 4);
      a0 = Step::add(first, x0, a0);
      a1 = Step::add(second, x0, a1);
      a2 = Step::add(first, x1, a2);
      a3 = Step::add(second, x1, a3);
      const Vector x2 = loadSplat32(x + 8), x3 = loadSplat32(x + 12);
      a4 = Step::add(first, x2, a4);
      a5 = Step::add(second, x2, a5);
      a6 = Step::add(first, x3, a6);
      a7 = Step::add(second, x3, a7);
      codes += 2;
      x += 16;
    } while (codes != end);
    sum[0] = a0, sum[1] = a1, sum[2] = a2, sum[3] = a3;
    sum[4] = a4, sum[5] = a5, sum[6] = a6, sum[7] = a7;
  }

  // += part * scale, of 16-bit lanes the sums of pairs' products.
  PACKED_INLINE void addScaled16(const Tile& part, const Vector scale[2]) {
    const Vector scales[2] = {scale[0], scale[1]};  // sum may be in memory that is not theirs
    PACKED_UNROLL
    for (int i = 0; i < 8; ++i) sum[i] = add32(sum[i], dot16(part.sum[i], scales[i % 2]));
  }

  // y[column][8] += float(sum) * (d * dx)
  PACKED_INLINE void addTo(float* y, const Vector d[2], const float* dx) const {
    Vector products[8];
    multiply(d, dx, products);
    PACKED_UNROLL
    for (int i = 0; i < 8; ++i) store(y + 4 * i, wasm_f32x4_add(load(y + 4 * i), products[i]));
  }
  // The same with the minimums of a block that has one, in one go: -= dmin * (dx * float(sum of x)).
  PACKED_INLINE void addTo(float* y, const Vector d[2], const float* dx, const Vector dmin[2],
                           const int16_t* sums) const {
    Vector products[8], factors[4];
    multiply(d, dx, products);
    splatLanes(wasm_f32x4_mul(load(dx), wasm_f32x4_convert_i32x4(load(sums))), factors);
    const Vector least[2] = {dmin[0], dmin[1]};
    PACKED_UNROLL
    for (int i = 0; i < 8; ++i) {
      const Vector added = wasm_f32x4_add(load(y + 4 * i), products[i]);
      store(y + 4 * i, wasm_f32x4_sub(added, wasm_f32x4_mul(least[i % 2], factors[i / 2])));
    }
  }
  // The minimums of several groups: sum is that of each minimum times its sum of x.
  PACKED_INLINE void subtractFrom(float* y, const Vector dmin[2], const float* dx) const {
    Vector factors[4];
    splatLanes(load(dx), factors);
    const Vector least[2] = {dmin[0], dmin[1]};
    PACKED_UNROLL
    for (int i = 0; i < 8; ++i) {
      const Vector minimum = wasm_f32x4_mul(factors[i / 2], wasm_f32x4_convert_i32x4(sum[i]));
      store(y + 4 * i, wasm_f32x4_sub(load(y + 4 * i), wasm_f32x4_mul(least[i % 2], minimum)));
    }
  }

 private:
  static PACKED_INLINE void splatLanes(Vector lanes, Vector each[4]) {
    each[0] = splatLane<0>(lanes);
    each[1] = splatLane<1>(lanes);
    each[2] = splatLane<2>(lanes);
    each[3] = splatLane<3>(lanes);
  }

  // float(sum) * (d * dx)
  PACKED_INLINE void multiply(const Vector d[2], const float* dx, Vector products[8]) const {
    Vector factors[4];
    splatLanes(load(dx), factors);
    PACKED_UNROLL
    for (int i = 0; i < 8; ++i) {
      products[i] = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sum[i]),
                                   wasm_f32x4_mul(d[i % 2], factors[i / 2]));
    }
  }
};

}  // namespace packed

#endif
