// The GEMV: one to three columns, blocks outside, rows inside, four rows at a time.
//
// Block b of x stays where it is (in registers, for blocks of 32) while all rows' block b pass by:
// in kernel order a strictly sequential stream. Four rows are summed together, so that their scales
// are converted, multiplied and added to y as one vector. Row-major weights go through the same
// loops in tiles of a few rows, whose blocks then lie in the first- or second-level cache.
#pragma once

#include "kernels/matmul/matmul.h"
#include "kernels/matmul/row_sums.h"

#if defined(PACKED_SIMD)

namespace packed {

// y[c][o] += row o times x[c] for all rows and columns; each y is padded to whole fours. False when
// a scale is infinite or NaN and the format takes the quick way to its scales: y is wrong then.
template <class Format, class Dot, int columns>
PACKED_NOINLINE bool gemvRows(const WeightRows& w, const PackedColumn* x, float* const* y) {
  constexpr int kHalves = Format::kQuickHalves;
  constexpr bool kCorrected = kStartsCorrected<Format, Dot, columns>;
  const Vector flip = splat8(excessOfSigned());
  const Vector ones = splat16(1);
  Vector seen = zero();
  FourRows four(w);
  for (uint64_t b = 0; b < w.blocksPerRow; ++b) {
    const uint8_t* ofBlock[columns];
    typename Dot::X hoisted[columns][Format::kVectors];
    Vector correction[columns], ofSum[columns], dx[columns];
    float* to[columns];
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) {
      ofBlock[c] = x[c].x + Dot::kXBytes * static_cast<int>(b) * kElements<Format>;
      dx[c] = loadSplat32(x[c].d + b);
      to[c] = y[c];
      if constexpr (!Format::kScaled) {
        const int sum = x[c].sums[b];
        correction[c] = wasm_i32x4_splat(-x[c].zeroPoint / (kCorrected ? 4 : 1) * sum);
        ofSum[c] = wasm_f32x4_mul(dx[c], wasm_f32x4_splat(static_cast<float>(sum)));
      }
    }
    if constexpr (Format::kChunks == 1 && Format::kVectors <= 4 && !Format::kScaled) {
      loadChunk<Format, Dot, columns>(ofBlock, 0, hoisted);
    }
    for (four.startBlock(b); four.any();) {
      const uint8_t* rows[4];
      four.next(rows);
      Vector sum[columns], d, dmin = zero();
      if constexpr (Format::kScaled) {
        fourScaledSums<Format, Dot, columns>(rows, ofBlock, x, b, flip, sum, ofSum);
        PACKED_UNROLL
        for (int c = 0; c < columns; ++c) {
          ofSum[c] = wasm_f32x4_mul(dx[c], wasm_f32x4_convert_i32x4(ofSum[c]));
        }
      } else {
        fourSums<Format, Dot, columns>(rows, ofBlock, hoisted, flip, ones, correction, sum);
        if constexpr (!kCorrected && (Format::kZero != 0 || Format::kSigned)) {
          PACKED_UNROLL
          for (int c = 0; c < columns; ++c) sum[c] = add32(sum[c], correction[c]);
        }
      }
      if constexpr (kHalves != 0) {
        const Vector halves = gatherHalves<kHalves>(rows);
        seen = largest(seen, halves);
        d = quickHalves(kHalves == 2 ? wasm_i32x4_shl(halves, 16) : halves);
        if constexpr (Format::kMinimum) dmin = wasm_f32x4_neg(quickHalves(halves));
      } else {
        d = Format::d(rows);
        if constexpr (Format::kMinimum) dmin = Format::dmin(rows);
      }
      PACKED_UNROLL
      for (int c = 0; c < columns; ++c) {
        Vector result = wasm_f32x4_add(load(to[c]), wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sum[c]),
                                                                   wasm_f32x4_mul(d, dx[c])));
        if constexpr (Format::kMinimum) {
          result = wasm_f32x4_sub(result, wasm_f32x4_mul(dmin, ofSum[c]));
        }
        store(to[c], result);
        to[c] += 4;
      }
    }
  }
  return kHalves == 0 || !unbounded(seen);
}

}  // namespace packed

#endif
