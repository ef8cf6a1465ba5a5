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

// Bytes, or pairs of them, of a and b in turn, from the lower (0) or the upper (1) half.
template <int half>
PACKED_INLINE Vector interleaved8(Vector a, Vector b) {
  constexpr int h = 8 * half;
  return wasm_i8x16_shuffle(a, b, h, h + 16, h + 1, h + 17, h + 2, h + 18, h + 3, h + 19, h + 4,
                            h + 20, h + 5, h + 21, h + 6, h + 22, h + 7, h + 23);
}
template <int half>
PACKED_INLINE Vector interleaved16(Vector a, Vector b) {
  constexpr int h = 4 * half;
  return wasm_i16x8_shuffle(a, b, h, h + 8, h + 1, h + 9, h + 2, h + 10, h + 3, h + 11);
}

// Q2_0: value j is bit pair j % 4 of byte j / 4.
template <>
struct Codes<Encoding::Q2_0> : CodesOfBlock {
  static constexpr int kQuickHalves = 1;
  static constexpr int kVectors = 4;
  static constexpr int kZero = 1;
  static constexpr int kMax = 3;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int) {
    // Pair k of each byte, then four such vectors byte by byte in turn; what the values of a block
    // have in common is calculated once.
    const Vector bytes = load(block + 2), mask = splat8(3);
    const Vector pair0 = bitAnd(bytes, mask), pair1 = bitAnd(wasm_u16x8_shr(bytes, 2), mask);
    const Vector pair2 = bitAnd(wasm_u16x8_shr(bytes, 4), mask);
    const Vector pair3 = bitAnd(wasm_u16x8_shr(bytes, 6), mask);
    const Vector first = interleaved8<v / 2>(pair0, pair1);
    return interleaved16<v % 2>(first, interleaved8<v / 2>(pair2, pair3));
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
