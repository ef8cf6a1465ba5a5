// Four rows of one block times one to three columns, in whole numbers.
#pragma once

#include "kernels/matmul/dots.h"
#include "kernels/matmul/weight_rows.h"

#if defined(PACKED_SIMD)

namespace packed {

// One packed column (pack_activations.h).
struct PackedColumn {
  const uint8_t* x;
  const float* d;
  const int16_t* sums;
  int zeroPoint;  // what codes have too much: times the sum of x it is taken off again
};

template <class Format, class Dot>
PACKED_INLINE Vector codesFor(Vector codes, Vector flip) {
  return Format::kSigned && !Dot::kSignedAsOffset ? bitXor(codes, flip) : codes;
}

template <class Format, class Dot>
inline constexpr bool kMultipliesFractions = Format::kDigits && Dot::kTakesEightBits;

template <class Format, class Dot>
inline constexpr bool kMultipliesPowers = Format::kDigits && Dot::kTakesSixteenBits;

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

// The groups of a chunk, each times its scale of `scales`, into one total per column.
template <class Format, class Dot, int columns, int from, int end>
PACKED_INLINE void dotGroups(const uint8_t* block, int chunk,
                             const typename Dot::X (*x)[Format::kVectors], Vector flip,
                             const int32_t* scales, Vector* total) {
  constexpr int kCount = kGroup<Format> / 16;
  if constexpr (from < end) {
    Vector sum[columns];
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) sum[c] = Dot::start();
    dotVectors<Format, Dot, columns, from, kCount>(block, chunk, x, flip, sum);
    const int32_t* scale = scales + from * Format::kStride / kGroup<Format>;
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) {
      total[c] = Dot::template scaled<Format>(sum[c], scale, total[c]);
    }
    dotGroups<Format, Dot, columns, from + kCount, end>(block, chunk, x, flip, scales, total);
  }
}

// Vectors from..from + count - 1 that meet a chunk; `x` is where each column's values of this block
// begin.
template <class Format, class Dot, int columns, int from = 0, int count = Format::kVectors>
PACKED_INLINE void loadChunk(const uint8_t* const* x, int chunk,
                             typename Dot::X (*to)[Format::kVectors]) {
  PACKED_UNROLL
  for (int c = 0; c < columns; ++c) {
    const uint8_t* first = held(x[c] + Dot::kXBytes * firstValue<Format>(chunk));
    PACKED_UNROLL
    for (int v = from; v < from + count; ++v) to[c][v] = Dot::at(first, v * Format::kStride);
  }
}

inline constexpr int kMaxGroups = 16;  // of a block

// Vectors of a chunk that are multiplied before the next ones of x are loaded: as many as leave
// several columns' activations in registers.
template <class Format, class Dot, int columns>
inline constexpr int kAtOnce =
    columns == 1 || sizeof(typename Dot::X) == sizeof(Vector)   ? Format::kVectors
    : columns == 2 || (Format::kScaled && kGroup<Format> == 32) ? 2
                                                                : 1;

// A chunk of four rows, added to their sums, which wait in memory. `scales` are those of its
// groups, kMaxGroups from row to row. (Addresses are held, lest clang takes them apart again: what
// is added to a pointer costs nothing if it is a constant, and an instruction if it is anything
// else.)
template <class Format, class Dot, int columns, int from = 0>
PACKED_INLINE void addChunk(const uint8_t* const rows[4], const uint8_t* const* x, int chunk,
                            Vector flip, const int32_t* scales, Vector (*sums)[columns]) {
  constexpr int kCount = kAtOnce<Format, Dot, columns>;
  typename Dot::X part[columns][Format::kVectors];
  loadChunk<Format, Dot, columns, from, kCount>(x, chunk, part);
  PACKED_UNROLL
  for (int r = 0; r < 4; ++r) {
    Vector own[columns];
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) own[c] = load(sums[r] + c);
    if constexpr (Format::kScaled) {
      dotGroups<Format, Dot, columns, from, from + kCount>(rows[r], chunk, part, flip,
                                                           scales + r * kMaxGroups, own);
    } else {
      dotVectors<Format, Dot, columns, from, kCount>(rows[r], chunk, part, flip, own);
    }
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) store(sums[r] + c, own[c]);
    inMemoryOfOldV8(sums);
  }
  if constexpr (from + kCount < Format::kVectors) {
    addChunk<Format, Dot, columns, from + kCount>(rows, x, chunk, flip, scales, sums);
  }
}

// One by one: together they would become a call that clears memory byte by byte.
template <class Dot, int columns>
PACKED_INLINE void startSums(Vector (*sums)[columns]) {
  PACKED_UNROLL
  for (int r = 0; r < 4; ++r) {
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) {
      store(sums[r] + c, Dot::start());
      if constexpr (columns > 1) inMemoryOfOldV8(sums);
    }
  }
}

// Whether sums start with what takes the zero point off, a quarter in each lane: an addition less,
// but for several columns a register too many.
template <class Format, class Dot, int columns>
inline constexpr bool kStartsCorrected =
    columns == 1 && Dot::kTakesEightBits && Format::kChunks == 1 && !Format::kScaled &&
    !Format::kDigits && (Format::kZero != 0 || Format::kSigned) && Format::kZero % 4 == 0;

// What four lanes of a block's sums, and two of them together, come to at most. With x the
// activations, at most 127, a lane that starts corrected is the sum of (code - zero / 4) * x over
// its own values and -zero / 4 * x over three times as many others; two are that of (code - zero /
// 2) * x over their own and -zero / 2 * x over as many others: no more than if they started at 0.
// (Digits of TQ1_0, less one or not, are codes like others.)
template <class Format, bool startsCorrected>
struct LaneBounds {
  static constexpr int64_t kOfCode = 127 * (Format::kSigned ? 255 : Format::kMax);
  static constexpr int64_t kStart =
      startsCorrected ? 127 * (Format::kSigned ? 128 : Format::kZero) / 4 : 0;
  static constexpr int64_t kLane = kElements<Format> / 4 * (kOfCode + 2 * kStart);
  static constexpr int64_t kPair = kElements<Format> / 2 * kOfCode;
  static_assert(Format::kSigned || Format::kZero <= Format::kMax);
};

// Sums over one block of four rows, in the lanes of one vector per column, for formats with a
// single scale. `hoisted` are the activations where the block is a single chunk; `starts` is for
// kStartsCorrected.
template <class Format, class Dot, int columns>
PACKED_INLINE void fourSums(const uint8_t* const rows[4], const uint8_t* const* x,
                            const typename Dot::X (*hoisted)[Format::kVectors], Vector flip,
                            Vector ones, const Vector* starts, Vector* sums) {
  constexpr bool kCorrected = kStartsCorrected<Format, Dot, columns>;
  using Bounds = LaneBounds<Format, kCorrected>;
  Vector sum[4][columns];
  if constexpr (kMultipliesPowers<Format, Dot>) {
    Format::template powerSums<columns>(rows, x, sum);
  } else if constexpr (kMultipliesFractions<Format, Dot>) {
    // Too much code to be repeated for each row.
    PACKED_ROLLED
    for (int r = 0; r < 4; ++r) {
      Format::template fractionSums<Dot, columns>(rows[r], x, flip, sum[r]);
    }
  } else if constexpr (Format::kChunks == 1) {
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      PACKED_UNROLL
      for (int c = 0; c < columns; ++c) sum[r][c] = kCorrected ? starts[c] : Dot::start();
      dotVectors<Format, Dot, columns, 0, Format::kVectors>(rows[r], 0, hoisted, flip, sum[r]);
    }
  } else {
    startSums<Dot, columns>(sum);
    PACKED_ROLLED
    for (int chunk = 0; chunk < Format::kChunks; ++chunk) {
      addChunk<Format, Dot, columns>(rows, x, chunk, flip, nullptr, sum);
    }
  }
  PACKED_UNROLL
  for (int c = 0; c < columns; ++c) {
    const Vector ofRow[4] = {Dot::whole(sum[0][c]), Dot::whole(sum[1][c]), Dot::whole(sum[2][c]),
                             Dot::whole(sum[3][c])};
    if constexpr (Dot::kTakesSixteenBits) {
      // 256-fold.
      sums[c] = sumLanes32(ofRow[0], ofRow[1], ofRow[2], ofRow[3]);
    } else {
      sums[c] = sumSmallLanes32<Bounds::kLane, Bounds::kPair>(ofRow[0], ofRow[1], ofRow[2],
                                                              ofRow[3], ones);
    }
    if constexpr (!kMultipliesPowers<Format, Dot>) {
      sums[c] = Dot::template settle<Format>(sums[c]);
    }
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
PACKED_INLINE void fourScaledSums(const uint8_t* const rows[4], const uint8_t* const* x,
                                  const PackedColumn* column, uint64_t b, Vector flip, Vector* sums,
                                  Vector* minimums) {
  alignas(16) int32_t scales[4][kMaxGroups];
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
      const int16_t* xSums = column[c].sums + b * kGroups<Format>;
      if constexpr (Format::kZero != 0 || Format::kSigned) {
        zeros[r][c] = timesSums<Format>(scale, xSums);
      }
      if constexpr (Format::kMinimum) minimum[r][c] = timesSums<Format>(mins, xSums);
    }
  }
  startSums<Dot, columns>(total);
  PACKED_ROLLED
  for (int chunk = 0; chunk < Format::kChunks; ++chunk) {
    const int32_t* ofChunk = held(scales[0] + firstValue<Format>(chunk) / kGroup<Format>);
    addChunk<Format, Dot, columns>(rows, x, chunk, flip, ofChunk, total);
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
      sums[c] = wasm_i32x4_sub(sums[c], wasm_i32x4_mul(zeroSum, splat32(column[c].zeroPoint)));
    }
  }
}

}  // namespace packed

#endif
