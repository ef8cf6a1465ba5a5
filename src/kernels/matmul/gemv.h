// The GEMV: one to three columns, blocks outside, rows inside, four rows at a time.
//
// Block b of x stays where it is (in registers, for blocks of 32) while all rows' block b pass by:
// in kernel order a strictly sequential stream. Four rows are summed together, so that their scales
// are converted, multiplied and added to y as one vector. Row-major weights go through the same
// loops in tiles of a few rows, whose blocks then lie in the first- or second-level cache.
#pragma once

#include "base/cache.h"
#include "kernels/matmul/dots.h"
#include "kernels/matmul/matmul.h"

#if defined(PACKED_SIMD)

namespace packed {

// Some rows of a weight. Strides are in bytes.
struct WeightRows {
  const uint8_t* blocks;
  uint64_t rows;
  uint64_t blocksPerRow;
  uint64_t rowStride;
  uint64_t blockStride;
};

// Rows of blocks side by side, before the loop that goes down them. Blocks of 256 values only: the
// next of a small one is mostly in the line that came with it.
inline void bringRows(const WeightRows& w, uint32_t elements) {
  if (elements < 256) return;
  for (uint64_t r = 0; r < w.rows; ++r) {
    bringIntoCache(w.blocks + r * w.rowStride, w.blocksPerRow * w.blockStride);
  }
}

// One packed column (pack_activations.h).
struct PackedColumn {
  const uint8_t* x;
  const float* d;
  const int16_t* sums;
  int zeroPoint;  // what codes have too much: times the sum of x it is taken off again
};

// The pointers of the next four rows; past the end they stay on the last row, whose results nobody
// reads.
class FourRows {
 public:
  FourRows(const WeightRows& w, uint64_t b)
      : at_(w.blocks + b * w.blockStride), stride_(w.rowStride), left_(w.rows) {
    for (uint64_t r = 0; r < 4; ++r) offset_[r] = r * stride_;
  }
  bool any() const { return left_ > 0; }
  PACKED_INLINE void next(const uint8_t* rows[4]) {
    if (left_ < 4) {
      for (uint64_t r = left_; r < 4; ++r) offset_[r] = offset_[left_ - 1];
    }
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) rows[r] = at_ + offset_[r];
    at_ += 4 * stride_;
    left_ -= left_ < 4 ? left_ : 4;
  }

 private:
  const uint8_t* at_;
  uint64_t stride_;
  uint64_t left_;
  uint64_t offset_[4];
};

template <class Format, class Dot>
PACKED_INLINE Vector codesFor(Vector codes, Vector flip) {
  return Format::kSigned && !Dot::kSignedAsOffset ? bitXor(codes, flip) : codes;
}

template <class Format, class Dot>
inline constexpr bool kMultipliesFractions = Format::kFractions && Dot::kTakesEightBits;

// Vectors from..from + count - 1 of a chunk, times each column's x, into one sum per column.
template <class Format, class Dot, int columns, int from, int count>
PACKED_INLINE void dotVectors(const uint8_t* block, int chunk,
                              const typename Dot::X (*x)[Format::kVectors], Vector flip,
                              Vector* sum) {
  if constexpr (count > 0) {
    const Vector codes = codesFor<Format, Dot>(Format::template codes<from>(block, chunk), flip);
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) sum[c] = Dot::template dot<Format>(codes, x[c][from], sum[c]);
    dotVectors<Format, Dot, columns, from + 1, count - 1>(block, chunk, x, flip, sum);
  }
}

// The groups of a chunk, each times its scale, into one total per column.
template <class Format, class Dot, int columns, int from = 0>
PACKED_INLINE void dotGroups(const uint8_t* block, int chunk,
                             const typename Dot::X (*x)[Format::kVectors], Vector flip,
                             const int32_t* scales, Vector* total) {
  constexpr int kCount = kGroup<Format> / 16;
  if constexpr (from < Format::kVectors) {
    Vector sum[columns];
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) sum[c] = Dot::start();
    dotVectors<Format, Dot, columns, from, kCount>(block, chunk, x, flip, sum);
    const int32_t* scale =
        scales + (firstValue<Format>(chunk) + from * Format::kStride) / kGroup<Format>;
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) {
      total[c] = Dot::template scaled<Format>(sum[c], scale, total[c]);
    }
    dotGroups<Format, Dot, columns, from + kCount>(block, chunk, x, flip, scales, total);
  }
}

// The vectors of each column's x that meet a chunk.
template <class Format, class Dot, int columns>
PACKED_INLINE void loadChunk(const PackedColumn* x, int value, int chunk,
                             typename Dot::X (*to)[Format::kVectors]) {
  PACKED_UNROLL
  for (int c = 0; c < columns; ++c) {
    PACKED_UNROLL
    for (int v = 0; v < Format::kVectors; ++v) {
      to[c][v] = Dot::at(x[c].x, value + firstValue<Format>(chunk) + v * Format::kStride);
    }
  }
}

// Sums over one block of four rows, in the lanes of one vector per column, for formats with a
// single scale. `hoisted` are the activations where the block is a single chunk.
template <class Format, class Dot, int columns>
PACKED_INLINE void fourSums(const uint8_t* const rows[4], const PackedColumn* x, int value,
                            const typename Dot::X (*hoisted)[Format::kVectors], Vector flip,
                            Vector* sums) {
  Vector sum[4][columns];
  typename Dot::X part[columns][Format::kVectors];
  PACKED_UNROLL
  for (int r = 0; r < 4; ++r) {
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) sum[r][c] = Dot::start();
  }
  if constexpr (Format::kVectors > 4) {
    // Too much code to be repeated for each row.
    PACKED_ROLLED
    for (int r = 0; r < 4; ++r) {
      if constexpr (kMultipliesFractions<Format, Dot>) {
        const uint8_t* at[columns];
        PACKED_UNROLL
        for (int c = 0; c < columns; ++c) at[c] = x[c].x + value;
        Format::template fractionSums<Dot, columns>(rows[r], at, flip, sum[r]);
      } else {
        // In registers: `sum`, indexed by a variable, is memory. Two halves, neither of which waits
        // for the other's additions.
        constexpr int kHalf = Format::kVectors / 2;
        Vector own[columns], other[columns];
        PACKED_UNROLL
        for (int c = 0; c < columns; ++c) own[c] = other[c] = Dot::start();
        loadChunk<Format, Dot, columns>(x, value, 0, part);
        dotVectors<Format, Dot, columns, 0, kHalf>(rows[r], 0, part, flip, own);
        dotVectors<Format, Dot, columns, kHalf, Format::kVectors - kHalf>(rows[r], 0, part, flip,
                                                                          other);
        PACKED_UNROLL
        for (int c = 0; c < columns; ++c) sum[r][c] = Dot::joined(own[c], other[c]);
      }
    }
  } else if constexpr (Format::kChunks == 1) {
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      dotVectors<Format, Dot, columns, 0, Format::kVectors>(rows[r], 0, hoisted, flip, sum[r]);
    }
  } else {
    PACKED_ROLLED
    for (int chunk = 0; chunk < Format::kChunks; ++chunk) {
      loadChunk<Format, Dot, columns>(x, value, chunk, part);
      PACKED_UNROLL
      for (int r = 0; r < 4; ++r) {
        Vector own[columns];
        PACKED_UNROLL
        for (int c = 0; c < columns; ++c) own[c] = load(sum[r] + c);
        dotVectors<Format, Dot, columns, 0, Format::kVectors>(rows[r], chunk, part, flip, own);
        PACKED_UNROLL
        for (int c = 0; c < columns; ++c) store(sum[r] + c, own[c]);
        inMemory(sum);
      }
    }
  }
  PACKED_UNROLL
  for (int c = 0; c < columns; ++c) {
    sums[c] =
        Dot::template settle<Format>(sumLanes32(Dot::whole(sum[0][c]), Dot::whole(sum[1][c]),
                                                Dot::whole(sum[2][c]), Dot::whole(sum[3][c])));
  }
}

// The two int16 vectors of group numbers times sums of x: zero points and minimums.
template <class Format>
PACKED_INLINE Vector timesSums(const Vector numbers[2], const int16_t* sums) {
  const Vector first = dot16(numbers[0], load(sums));
  return kGroups<Format> == 8 ? first : add32(first, dot16(numbers[1], load(sums + 8)));
}

// The same for formats with integer scales; `minimums` receives the sums of minimums.
template <class Format, class Dot, int columns>
PACKED_INLINE void fourScaledSums(const uint8_t* const rows[4], const PackedColumn* x, uint64_t b,
                                  Vector flip, Vector* sums, Vector* minimums) {
  const int value = static_cast<int>(b) * kElements<Format>;
  alignas(16) int32_t scales[4][16];
  Vector total[4][columns], zeros[4][columns], minimum[4][columns];
  PACKED_UNROLL
  for (int r = 0; r < 4; ++r) {
    Vector scale[2];
    Format::scales(rows[r], scale);
    store(scales[r], Dot::scaleLow(scale[0]));
    store(scales[r] + 4, Dot::scaleHigh(scale[0]));
    if constexpr (kGroups<Format> == 16) {
      store(scales[r] + 8, Dot::scaleLow(scale[1]));
      store(scales[r] + 12, Dot::scaleHigh(scale[1]));
    }
    Vector mins[2];
    if constexpr (Format::kMinimum) Format::mins(rows[r], mins);
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) {
      const int16_t* xSums = x[c].sums + b * kGroups<Format>;
      if constexpr (Format::kZero != 0 || Format::kSigned) {
        zeros[r][c] = timesSums<Format>(scale, xSums);
      }
      if constexpr (Format::kMinimum) minimum[r][c] = timesSums<Format>(mins, xSums);
      total[r][c] = zero();
    }
  }
  PACKED_ROLLED
  for (int chunk = 0; chunk < Format::kChunks; ++chunk) {
    typename Dot::X part[columns][Format::kVectors];
    loadChunk<Format, Dot, columns>(x, value, chunk, part);
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      Vector own[columns];
      PACKED_UNROLL
      for (int c = 0; c < columns; ++c) own[c] = load(total[r] + c);
      dotGroups<Format, Dot, columns>(rows[r], chunk, part, flip, scales[r], own);
      PACKED_UNROLL
      for (int c = 0; c < columns; ++c) store(total[r] + c, own[c]);
      inMemory(total);
    }
  }
  PACKED_UNROLL
  for (int c = 0; c < columns; ++c) {
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) total[r][c] = Dot::template settle<Format>(total[r][c]);
    if constexpr (Format::kMinimum) {
      minimums[c] = sumLanes32(minimum[0][c], minimum[1][c], minimum[2][c], minimum[3][c]);
    }
    sums[c] = sumLanes32(total[0][c], total[1][c], total[2][c], total[3][c]);
    if constexpr (Format::kZero != 0 || Format::kSigned) {
      const Vector zeroSum = sumLanes32(zeros[0][c], zeros[1][c], zeros[2][c], zeros[3][c]);
      sums[c] = wasm_i32x4_sub(sums[c], wasm_i32x4_mul(zeroSum, splat32(x[c].zeroPoint)));
    }
  }
}

// y[c][o] += row o times x[c] for all rows and columns; each y is padded to whole fours. False when
// a scale is infinite or NaN and the format takes the quick way to its scales: y is wrong then.
template <class Format, class Dot, int columns>
PACKED_NOINLINE bool gemvRows(const WeightRows& w, const PackedColumn* x, float* const* y) {
  constexpr int kHalves = Format::kQuickHalves;
  const Vector flip = splat8(relaxedDot() == RelaxedDot::UNSIGNED ? 0x80 : 0);
  Vector seen = zero();
  for (uint64_t b = 0; b < w.blocksPerRow; ++b) {
    const int value = static_cast<int>(b) * kElements<Format>;
    typename Dot::X hoisted[columns][Format::kVectors];
    Vector correction[columns], ofSum[columns], dx[columns];
    float* to[columns];
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) {
      dx[c] = loadSplat32(x[c].d + b);
      to[c] = y[c];
      if constexpr (!Format::kScaled) {
        const int sum = x[c].sums[b];
        correction[c] = wasm_i32x4_splat(-x[c].zeroPoint * sum);
        ofSum[c] = wasm_f32x4_splat(static_cast<float>(sum));
      }
    }
    if constexpr (Format::kChunks == 1 && Format::kVectors <= 4 && !Format::kScaled) {
      loadChunk<Format, Dot, columns>(x, value, 0, hoisted);
    }
    for (FourRows four(w, b); four.any();) {
      const uint8_t* rows[4];
      four.next(rows);
      Vector sum[columns], d, dmin = zero();
      if constexpr (Format::kScaled) {
        fourScaledSums<Format, Dot, columns>(rows, x, b, flip, sum, ofSum);
        PACKED_UNROLL
        for (int c = 0; c < columns; ++c) ofSum[c] = wasm_f32x4_convert_i32x4(ofSum[c]);
      } else {
        fourSums<Format, Dot, columns>(rows, x, value, hoisted, flip, sum);
        if constexpr (Format::kZero != 0 || Format::kSigned) {
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
          result = wasm_f32x4_sub(result, wasm_f32x4_mul(ofSum[c], wasm_f32x4_mul(dmin, dx[c])));
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
