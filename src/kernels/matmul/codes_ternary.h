// Codes of the one- and two-bit encodings with a single scale (TQ1_0: codes_tq1_0.h). Included by
// codes.h.
#pragma once

namespace packed {

// TQ2_0: bit pair l of byte 32c + m is value 128c + 32l + m. Code 3 is never written, but decodes.
template <>
struct Codes<Encoding::TQ2_0> : CodesOfBlock {
  static constexpr int kVectors = 4;
  static constexpr int kChunks = 4;
  static constexpr int kStride = 32;
  static constexpr int kZero = 1;
  static constexpr int kMax = 3;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int chunk) {
    const Vector bytes = load(block + 16 * chunk);
    return bitAnd(v == 0 ? bytes : wasm_u16x8_shr(bytes, 2 * v), splat8(3));
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<64>(rows); }
};

// Q2_0: value j is bit pair j % 4 of byte j / 4.
template <>
struct Codes<Encoding::Q2_0> : CodesOfBlock {
  static constexpr int kQuickHalves = 1;
  static constexpr int kVectors = 4;
  static constexpr int kZero = 1;
  static constexpr int kMax = 3;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int) {
    // Each byte four times, keeping pair k in copy k; then all down to bit 0: copies 2 and 3 by
    // four bits, 1 and 3 by two.
    const Vector bytes = wasm_v128_load32_splat(block + 2 + 4 * v);
    const Vector spread =
        wasm_i8x16_shuffle(bytes, bytes, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const Vector both = bitAnd(spread, splat32(static_cast<int>(0xc0300c03)));
    const Vector upper = bitAnd(wasm_u16x8_shr(both, 4), splat32(0x0c030000));
    const Vector pairs = bitOr(bitAnd(both, splat32(0x00000c03)), upper);
    return bitOr(bitAnd(pairs, splat16(0x00ff)), bitAnd(wasm_u16x8_shr(pairs, 2), splat16(0x0300)));
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<0>(rows); }
};

// Q1_0: value j is bit j % 8 of byte j / 8, for -1 or +1: codes 0 or 2.
template <>
struct Codes<Encoding::Q1_0> : CodesOfBlock {
  static constexpr int kQuickHalves = 1;
  static constexpr int kVectors = 4;
  static constexpr int kChunks = 2;
  static constexpr int kZero = 1;
  static constexpr int kMax = 2;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int chunk) {
    return wasm_u16x8_shr(fifthBits(block + 2 + 8 * chunk + 2 * v), 3);
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<0>(rows); }
};

}  // namespace packed
