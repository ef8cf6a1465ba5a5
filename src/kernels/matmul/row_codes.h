// Codes, scales and minimums of some rows of one block, taken out for the f32 kernels.
#pragma once

#include "kernels/matmul/codes.h"
#include "kernels/matmul/weight_rows.h"

#if defined(PACKED_SIMD)

namespace packed {

// value[i] = scales[row][g] * (codes[row][i] - zero point) - minimums[row][g]
struct RowCodes {
  static constexpr uint32_t kCodes = 4096;
  static constexpr uint32_t kRows = 64;

  alignas(16) uint8_t codes[kCodes];         // [rows][elements], never negative
  alignas(16) float scales[kRows * 4 + 16];  // [rows][groups]
  alignas(16) float minimums[kRows * 4 + 16];
};

struct CodesFormat {
  Encoding encoding = Encoding::F32;
  uint32_t elements = 32;
  uint32_t groups = 1;
  int zeroPoint = 0;
  bool minimum = false;
  // Block b of the rows of `w`: at most rowsTogether, as many as rowsInFours says; fewer than four
  // become four.
  void (*decode)(const WeightRows& w, uint64_t b, RowCodes& to) = nullptr;

  uint64_t rowsTogether() const {
    return elements * RowCodes::kRows > RowCodes::kCodes ? RowCodes::kCodes / elements
                                                         : RowCodes::kRows;
  }
};

template <class Format, int v = 0>
PACKED_INLINE void storeCodes(const uint8_t* block, int chunk, uint8_t* to) {
  const Vector codes = Format::template codes<v>(block, chunk);
  store(to + firstValue<Format>(chunk) + v * Format::kStride,
        Format::kSigned ? bitXor(codes, splat8(0x80)) : codes);
  if constexpr (v + 1 < Format::kVectors) storeCodes<Format, v + 1>(block, chunk, to);
}

// Eight or sixteen int16 numbers as f32, times a factor.
template <int groups>
PACKED_INLINE void storeScaled(const Vector numbers[2], Vector factor, float* to) {
  PACKED_UNROLL
  for (int part = 0; part < groups / 8; ++part) {
    const Vector low = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(numbers[part]));
    const Vector high = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(numbers[part]));
    store(to + 8 * part, wasm_f32x4_mul(factor, low));
    store(to + 8 * part + 4, wasm_f32x4_mul(factor, high));
  }
}

// Four rows' d and dmin; where both are halves, the quick way unless one is infinite or NaN. (For a
// single one the branch costs what it saves.)
template <class Format>
PACKED_INLINE void storeHalves(const uint8_t* const rows[4], float* d, float* dmin) {
  if constexpr (Format::kQuickHalves == 2) {
    const Vector halves = gatherHalves<2>(rows);
    store(d, mostlyQuickHalves(wasm_i32x4_shl(halves, 16)));
    store(dmin, wasm_f32x4_neg(mostlyQuickHalves(halves)));
  } else {
    if constexpr (Format::kFloatScales == 1) store(d, Format::d(rows));
    if constexpr (Format::kMinimum) store(dmin, Format::dmin(rows));
  }
}

// Scales per block, integer ones or float ones.
template <class Format>
constexpr int kGroupsOf = Format::kFloatScales > 1 ? Format::kFloatScales : kGroups<Format>;

template <class Format>
PACKED_INLINE void storeRow(const uint8_t* block, const float* d, const float* dmin, uint8_t* codes,
                            float* scales, float* minimums) {
  if constexpr (Format::kFloatScales > 1) {
    store(scales, Format::floatScales(block));
  } else if constexpr (Format::kScaled) {
    Vector numbers[2];
    Format::scales(block, numbers);
    storeScaled<kGroups<Format>>(numbers, loadSplat32(d), scales);
    if constexpr (Format::kMinimum) {
      Format::mins(block, numbers);
      storeScaled<kGroups<Format>>(numbers, loadSplat32(dmin), minimums);
    }
  }
  PACKED_ROLLED
  for (int chunk = 0; chunk < Format::kChunks; ++chunk) storeCodes<Format>(block, chunk, codes);
}

template <class Format>
PACKED_NOINLINE void decodeRows(const WeightRows& w, uint64_t b, RowCodes& to) {
  uint8_t* codes = to.codes;
  float* scales = to.scales;
  float* minimums = to.minimums;
  FourRows four(w);
  for (four.startBlock(b); four.any();) {
    const uint8_t* rows[4];
    four.next(rows);
    alignas(16) float d[4], dmin[4] = {};
    storeHalves<Format>(rows, d, dmin);
    if constexpr (kGroupsOf<Format> == 1) {
      store(scales, load(d));
      if constexpr (Format::kMinimum) store(minimums, load(dmin));
    }
    const auto storeRowAt = [&](int r) __attribute__((always_inline)) {
      storeRow<Format>(rows[r], d + r, dmin + r, codes + r * kElements<Format>,
                       scales + r * kGroupsOf<Format>, minimums + r * kGroupsOf<Format>);
    };
    if constexpr (Format::kChunks == 1) {
      PACKED_UNROLL
      for (int r = 0; r < 4; ++r) storeRowAt(r);
    } else {
      PACKED_ROLLED
      for (int r = 0; r < 4; ++r) storeRowAt(r);
    }
    codes += 4 * kElements<Format>;
    scales += 4 * kGroupsOf<Format>;
    minimums += 4 * kGroupsOf<Format>;
  }
}

template <class Format>
CodesFormat codesFormatOf(Encoding encoding) {
  CodesFormat format;
  format.encoding = encoding;
  format.elements = kElements<Format>;
  format.groups = kGroupsOf<Format>;
  format.zeroPoint = Format::kSigned ? 128 : Format::kZero;
  format.minimum = Format::kMinimum;
  format.decode = &decodeRows<Format>;
  return format;
}

}  // namespace packed

#endif
