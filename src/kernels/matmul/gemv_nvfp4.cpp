#include "kernels/matmul/gemv_nvfp4.h"

#if defined(PACKED_SIMD)

namespace packed {
namespace {

using Format = CodesOfNvfp4;
constexpr int kPairs = 2;  // of groups, in a block

// The first eight values of two groups, and the others.
PACKED_INLINE Vector firstEights(const int8_t* pair) {
  return wasm_i64x2_shuffle(load(pair), load(pair + 16), 0, 2);
}
PACKED_INLINE Vector lastEights(const int8_t* pair) {
  return wasm_i64x2_shuffle(load(pair), load(pair + 16), 1, 3);
}

// One column's part of a block.
template <class Dot>
struct BlockOfX {
  typename Dot::X first[kPairs], last[kPairs];
  Vector start[kPairs];  // what takes the zero point off
  Vector dx;
  float* y;

  PACKED_INLINE void set(const PackedColumn& column, uint64_t b, float* to) {
    const auto* x = column.x + Dot::kXBytes * b * kElements<Format>;
    const int16_t* sums = column.sums + 2 * kPairs * b;
    PACKED_UNROLL
    for (int p = 0; p < kPairs; ++p) {
      if constexpr (Dot::kXBytes == 1) {
        const auto* pair = reinterpret_cast<const int8_t*>(x) + 32 * p;
        first[p] = {firstEights(pair)};
        last[p] = {lastEights(pair)};
      } else {
        first[p] = Dot::at(x, 32 * p);
        last[p] = Dot::at(x, 32 * p + 16);
      }
      start[p] = startOf(sums[2 * p], sums[2 * p + 1]);
    }
    dx = loadSplat32(column.d + b);
    y = to;
  }

 private:
  // A group's lanes share it evenly.
  static PACKED_INLINE Vector startOf(int first, int second) {
    if constexpr (Dot::kLanes == 8) {
      constexpr int kEach = -Format::kZero / 4;
      const Vector both =
          wasm_i32x4_make(kEach * first, kEach * first, kEach * second, kEach * second);
      return wasm_i16x8_shuffle(both, both, 0, 0, 2, 2, 4, 4, 6, 6);
    } else {
      constexpr int kEach = -Format::kZero / 2 * Dot::kTimes;
      return wasm_i32x4_make(kEach * first, kEach * first, kEach * second, kEach * second);
    }
  }
};

// Of four rows' sums over two groups, each group's, rows in lanes.
//
// With x at most 127, a lane of 32 bits is the sum of (code - 6) * x over eight values and of -6 *
// x over eight others: at most 8 * 18 * 127 + 8 * 6 * 127 < 2^15, 256-fold < 2^23; 16-bit lanes are
// less.
template <class Dot>
PACKED_INLINE void sumGroups(const Vector sums[4], Vector ones, Vector groups[2]) {
  Vector ab, cd;
  if constexpr (Dot::kTakesSixteenBits) {
    const auto ofPairs = [](Vector a, Vector b) __attribute__((always_inline)) {
      return add32(wasm_i32x4_shuffle(a, b, 0, 2, 4, 6), wasm_i32x4_shuffle(a, b, 1, 3, 5, 7));
    };
    ab = ofPairs(sums[0], sums[1]);
    cd = ofPairs(sums[2], sums[3]);
  } else {
    ab = dot16(wasm_i16x8_narrow_i32x4(sums[0], sums[1]), ones);
    cd = dot16(wasm_i16x8_narrow_i32x4(sums[2], sums[3]), ones);
  }
  groups[0] = Dot::template settle<Format>(wasm_i32x4_shuffle(ab, cd, 0, 2, 4, 6));
  groups[1] = Dot::template settle<Format>(wasm_i32x4_shuffle(ab, cd, 1, 3, 5, 7));
}

template <class Dot, int pair>
PACKED_INLINE void multiplyPair(const uint8_t* const rows[4], const Vector* scales, Vector ones,
                                int columns, uint64_t o, const BlockOfX<Dot>* x) {
  Vector first[4], last[4];
  PACKED_UNROLL
  for (int r = 0; r < 4; ++r) {
    const Vector bytes = load(rows[r] + 4 + 16 * pair);
    first[r] = levelsOf(kFp4Table, lowNibbles(bytes));
    last[r] = levelsOf(kFp4Table, highNibbles(bytes));
  }
  PACKED_ROLLED
  for (int c = 0; c < columns; ++c) {
    const BlockOfX<Dot>& of = x[c];
    Vector sums[4], groups[2];
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      const Vector begun = Dot::template dot<Format>(first[r], of.first[pair], of.start[pair]);
      sums[r] = Dot::whole(Dot::template dot<Format>(last[r], of.last[pair], begun));
    }
    sumGroups<Dot>(sums, ones, groups);
    float* to = of.y + o;
    Vector y = load(to);
    PACKED_UNROLL
    for (int g = 0; g < 2; ++g) {
      const Vector d = wasm_f32x4_mul(scales[2 * pair + g], of.dx);
      y = wasm_f32x4_add(y, wasm_f32x4_mul(wasm_f32x4_convert_i32x4(groups[g]), d));
    }
    store(to, y);
  }
}

}  // namespace

void arrangeForNvfp4(const int8_t* codes, int16_t* to, uint32_t elements) {
  for (uint32_t i = 0; i < elements; i += 32) {
    storeSplit(to + i, firstEights(codes + i));
    storeSplit(to + i + 16, lastEights(codes + i));
  }
}

template <class Dot>
void gemvOfNvfp4(const WeightRows& w, const PackedColumn* x, int columns, float* const* y) {
  const Vector ones = splat16(1);
  FourRows four(w);
  for (uint64_t b = 0; b < w.blocksPerRow; ++b) {
    BlockOfX<Dot> of[3];
    for (int c = 0; c < columns; ++c) of[c].set(x[c], b, y[c]);
    uint64_t o = 0;
    for (four.startBlock(b); four.any(); o += 4) {
      const uint8_t* rows[4];
      four.next(rows);
      Vector scales[4];
      Format::floatScales(rows, scales);
      multiplyPair<Dot, 0>(rows, scales, ones, columns, o, of);
      multiplyPair<Dot, 1>(rows, scales, ones, columns, o, of);
    }
  }
}

#if defined(PACKED_RELAXED_SIMD)
template void gemvOfNvfp4<Dot16>(const WeightRows&, const PackedColumn*, int, float* const*);
template void gemvOfNvfp4<Dot32>(const WeightRows&, const PackedColumn*, int, float* const*);
#endif
template void gemvOfNvfp4<Wide>(const WeightRows&, const PackedColumn*, int, float* const*);

}  // namespace packed

#endif  // PACKED_SIMD
