// The GEMV: one column, blocks outside, rows inside, four rows at a time.
//
// Block b of x stays where it is (in registers, for blocks of 32) while all rows' block b pass by:
// in kernel order a strictly sequential stream. Four rows are summed together, so that their scales
// are converted, multiplied and added to y as one vector. Row-major weights go through the same
// loops in tiles of a few rows, whose blocks then lie in the first- or second-level cache.
#pragma once

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

// Vectors from..from + count - 1 of a chunk, times x, into one sum.
template <class Format, class Dot, int from, int count>
PACKED_INLINE Vector dotVectors(const uint8_t* block, int chunk, const typename Dot::X* x,
                                Vector flip, Vector sum) {
  if constexpr (count == 0) {
    return sum;
  } else {
    const Vector codes = codesFor<Format, Dot>(Format::template codes<from>(block, chunk), flip);
    sum = Dot::template dot<Format>(codes, x[from], sum);
    return dotVectors<Format, Dot, from + 1, count - 1>(block, chunk, x, flip, sum);
  }
}

// The groups of a chunk, each times its scale, into one total.
template <class Format, class Dot, int from = 0>
PACKED_INLINE Vector dotGroups(const uint8_t* block, int chunk, const typename Dot::X* x,
                               Vector flip, const int32_t* scales, Vector total) {
  constexpr int kCount = kGroup<Format> / 16;
  if constexpr (from == Format::kVectors) {
    return total;
  } else {
    const Vector sum = dotVectors<Format, Dot, from, kCount>(block, chunk, x, flip, Dot::start());
    const int32_t* scale =
        scales + (firstValue<Format>(chunk) + from * Format::kStride) / kGroup<Format>;
    total = Dot::template scaled<Format>(sum, scale, total);
    return dotGroups<Format, Dot, from + kCount>(block, chunk, x, flip, scales, total);
  }
}

// The vectors of x that meet a chunk.
template <class Format, class Dot>
PACKED_INLINE void loadChunk(const uint8_t* x, int value, int chunk, typename Dot::X* to) {
  PACKED_UNROLL
  for (int v = 0; v < Format::kVectors; ++v) {
    to[v] = Dot::at(x, value + firstValue<Format>(chunk) + v * Format::kStride);
  }
}

// Sums over one block of four rows, in the lanes of one vector, for formats with a single scale.
// `hoisted` are the activations where the block is a single chunk.
template <class Format, class Dot>
PACKED_INLINE Vector fourSums(const uint8_t* const rows[4], const uint8_t* x, int value,
                              const typename Dot::X* hoisted, Vector flip) {
  Vector sum[4];
  if constexpr (Format::kVectors > 4) {
    // Too much code to be repeated for each row.
    PACKED_ROLLED
    for (int r = 0; r < 4; ++r) {
      typename Dot::X part[Format::kVectors];
      loadChunk<Format, Dot>(x, value, 0, part);
      sum[r] = dotVectors<Format, Dot, 0, Format::kVectors>(rows[r], 0, part, flip, Dot::start());
    }
  } else if constexpr (Format::kChunks == 1) {
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      sum[r] =
          dotVectors<Format, Dot, 0, Format::kVectors>(rows[r], 0, hoisted, flip, Dot::start());
    }
  } else {
    sum[0] = sum[1] = sum[2] = sum[3] = Dot::start();
    PACKED_ROLLED
    for (int chunk = 0; chunk < Format::kChunks; ++chunk) {
      typename Dot::X part[Format::kVectors];
      loadChunk<Format, Dot>(x, value, chunk, part);
      PACKED_UNROLL
      for (int r = 0; r < 4; ++r) {
        sum[r] = dotVectors<Format, Dot, 0, Format::kVectors>(rows[r], chunk, part, flip, sum[r]);
      }
    }
  }
  PACKED_UNROLL
  for (int r = 0; r < 4; ++r) sum[r] = Dot::whole(sum[r]);
  return Dot::template settle<Format>(sumLanes32(sum[0], sum[1], sum[2], sum[3]));
}

// The two int16 vectors of group numbers times sums of x: zero points and minimums.
template <class Format>
PACKED_INLINE Vector timesSums(const Vector numbers[2], const int16_t* sums) {
  const Vector first = dot16(numbers[0], load(sums));
  return kGroups<Format> == 8 ? first : add32(first, dot16(numbers[1], load(sums + 8)));
}

// The same for formats with integer scales; `minimums` receives the sums of minimums.
template <class Format, class Dot>
PACKED_INLINE Vector fourScaledSums(const uint8_t* const rows[4], const uint8_t* x, int value,
                                    const int16_t* sums, int zeroPoint, Vector flip,
                                    Vector& minimums) {
  alignas(16) int32_t scales[4][16];
  Vector total[4], zeros[4], minimum[4];
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
    if constexpr (Format::kZero != 0 || Format::kSigned) zeros[r] = timesSums<Format>(scale, sums);
    if constexpr (Format::kMinimum) {
      Vector mins[2];
      Format::mins(rows[r], mins);
      minimum[r] = timesSums<Format>(mins, sums);
    }
    total[r] = zero();
  }
  PACKED_ROLLED
  for (int chunk = 0; chunk < Format::kChunks; ++chunk) {
    typename Dot::X part[Format::kVectors];
    loadChunk<Format, Dot>(x, value, chunk, part);
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      total[r] = dotGroups<Format, Dot>(rows[r], chunk, part, flip, scales[r], total[r]);
    }
  }
  PACKED_UNROLL
  for (int r = 0; r < 4; ++r) total[r] = Dot::template settle<Format>(total[r]);
  if constexpr (Format::kMinimum) {
    minimums = sumLanes32(minimum[0], minimum[1], minimum[2], minimum[3]);
  }
  const Vector sum = sumLanes32(total[0], total[1], total[2], total[3]);
  if constexpr (Format::kZero != 0 || Format::kSigned) {
    const Vector zeroSum = sumLanes32(zeros[0], zeros[1], zeros[2], zeros[3]);
    return wasm_i32x4_sub(sum, wasm_i32x4_mul(zeroSum, splat32(zeroPoint)));
  } else {
    return sum;
  }
}

// y[o] += row o times x for all rows; y is padded to whole fours. False when a scale is infinite or
// NaN and the format takes the quick way to its scales: y is wrong then.
template <class Format, class Dot>
PACKED_NOINLINE bool gemvRows(const WeightRows& w, const PackedColumn& x, float* y) {
  constexpr int kHalves = Format::kQuickHalves;
  const Vector flip = splat8(relaxedDot() == RelaxedDot::UNSIGNED ? 0x80 : 0);
  Vector seen = zero();
  for (uint64_t b = 0; b < w.blocksPerRow; ++b) {
    const int value = static_cast<int>(b) * kElements<Format>;
    const int16_t* sums = x.sums + b * kGroups<Format>;
    const Vector dx = loadSplat32(x.d + b);
    typename Dot::X hoisted[Format::kVectors];
    Vector correction = zero(), ofSum = zero();
    if constexpr (!Format::kScaled) {
      if constexpr (Format::kChunks == 1 && Format::kVectors <= 4) {
        loadChunk<Format, Dot>(x.x, value, 0, hoisted);
      }
      correction = wasm_i32x4_splat(-x.zeroPoint * sums[0]);
      ofSum = wasm_f32x4_splat(static_cast<float>(sums[0]));
    }
    float* to = y;
    for (FourRows four(w, b); four.any(); to += 4) {
      const uint8_t* rows[4];
      four.next(rows);
      Vector sum, d, dmin = zero();
      if constexpr (Format::kScaled) {
        sum = fourScaledSums<Format, Dot>(rows, x.x, value, sums, x.zeroPoint, flip, ofSum);
        ofSum = wasm_f32x4_convert_i32x4(ofSum);
      } else {
        sum = fourSums<Format, Dot>(rows, x.x, value, hoisted, flip);
        if constexpr (Format::kZero != 0 || Format::kSigned) sum = add32(sum, correction);
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
      Vector result = wasm_f32x4_add(
          load(to), wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sum), wasm_f32x4_mul(d, dx)));
      if constexpr (Format::kMinimum) {
        result = wasm_f32x4_sub(result, wasm_f32x4_mul(ofSum, wasm_f32x4_mul(dmin, dx)));
      }
      store(to, result);
    }
  }
  return kHalves == 0 || !unbounded(seen);
}

}  // namespace packed

#endif
