// Codes of the K encodings: 256 values under integer scales. Included by codes.h.
#pragma once

namespace packed {

// Q2_K: bit pair j of byte 32n + l is value 128n + 32j + l.
template <>
struct Codes<Encoding::Q2_K> : CodesOfBlock {
  static constexpr int kVectors = 4;
  static constexpr int kChunks = 4;
  static constexpr int kStride = 32;
  static constexpr int kMax = 3;
  static constexpr bool kScaled = true;
  static constexpr bool kMinimum = true;
  static constexpr int kMaxScale = 15;
  static constexpr bool kScaledFitsByte = true;  // 0..45
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int chunk) {
    const Vector bytes = load(block + 16 + 16 * chunk);
    return bitAnd(v == 0 ? bytes : wasm_u16x8_shr(bytes, 2 * v), splat8(3));
  }
  static PACKED_INLINE void scales(const uint8_t* block, Vector to[2]) {
    const Vector scale = lowNibbles(load(block));
    to[0] = wasm_u16x8_extend_low_u8x16(scale);
    to[1] = wasm_u16x8_extend_high_u8x16(scale);
  }
  static PACKED_INLINE void mins(const uint8_t* block, Vector to[2]) {
    const Vector minimum = highNibbles(load(block));
    to[0] = wasm_u16x8_extend_low_u8x16(minimum);
    to[1] = wasm_u16x8_extend_high_u8x16(minimum);
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<80>(rows); }
  static PACKED_INLINE Vector dmin(const uint8_t* const rows[4]) { return halvesAt<82>(rows); }
};

// Q3_K: as Q2_K, with bit 4n + j of hmask[l] as the third bit.
template <>
struct Codes<Encoding::Q3_K> : CodesOfBlock {
  static constexpr int kVectors = 4;
  static constexpr int kChunks = 4;
  static constexpr int kStride = 32;
  static constexpr int kZero = 4;
  static constexpr int kMax = 7;
  static constexpr bool kScaled = true;
  static constexpr int kMaxScale = 32;
  static constexpr bool kScaledFitsByte = true;  // -32..31 times -3..4: -128..124
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int chunk) {
    const Vector bytes = load(block + 32 + 16 * chunk);
    const Vector low = bitAnd(v == 0 ? bytes : wasm_u16x8_shr(bytes, 2 * v), splat8(3));
    const Vector mask = wasm_u16x8_shr(load(block + 16 * (chunk & 1)), 4 * (chunk >> 1));
    const Vector moved = v < 2    ? wasm_i16x8_shl(mask, 2 - v)
                         : v == 2 ? mask
                                  : wasm_u16x8_shr(mask, 1);
    return bitOr(low, bitAnd(moved, splat8(4)));
  }
  static PACKED_INLINE void scales(const uint8_t* block, Vector to[2]) {
    const uint64_t low = loadLE<uint64_t>(block + 96);
    const uint64_t upper = loadLE<uint32_t>(block + 104);
    const uint64_t upper01 = (upper | upper << 30) & 0x0303030303030303;
    const uint64_t upper23 = (upper >> 4 | upper << 26) & 0x0303030303030303;
    const uint64_t scales01 = (low & 0x0f0f0f0f0f0f0f0f) | upper01 << 4;
    const uint64_t scales23 = (low >> 4 & 0x0f0f0f0f0f0f0f0f) | upper23 << 4;
    const Vector bytes =
        wasm_i64x2_make(static_cast<int64_t>(scales01), static_cast<int64_t>(scales23));
    const Vector offset = splat16(32);
    to[0] = wasm_i16x8_sub(wasm_u16x8_extend_low_u8x16(bytes), offset);
    to[1] = wasm_i16x8_sub(wasm_u16x8_extend_high_u8x16(bytes), offset);
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<108>(rows); }
};

// The twelve bytes of sixteen 6-bit numbers that Q4_K and Q5_K share: eight scales, eight minimums.
PACKED_INLINE uint64_t sixBitScales(const uint8_t* from) {
  const uint32_t a = loadLE<uint32_t>(from);
  const uint32_t c = loadLE<uint32_t>(from + 8);
  const uint32_t upper = (c & 0x0f0f0f0f) | (a >> 6 & 0x03030303) << 4;
  return static_cast<uint64_t>(upper) << 32 | (a & 0x3f3f3f3f);
}
PACKED_INLINE uint64_t sixBitMins(const uint8_t* from) {
  const uint32_t b = loadLE<uint32_t>(from + 4);
  const uint32_t c = loadLE<uint32_t>(from + 8);
  const uint32_t upper = (c >> 4 & 0x0f0f0f0f) | (b >> 6 & 0x03030303) << 4;
  return static_cast<uint64_t>(upper) << 32 | (b & 0x3f3f3f3f);
}
PACKED_INLINE Vector widen8(uint64_t bytes) {
  return wasm_u16x8_extend_low_u8x16(wasm_i64x2_splat(static_cast<int64_t>(bytes)));
}

struct CodesOfFourK : CodesOfBlock {
  static constexpr int kVectors = 4;
  static constexpr int kChunks = 4;
  static constexpr bool kScaled = true;
  static constexpr bool kMinimum = true;
  static constexpr int kMaxScale = 63;
  static PACKED_INLINE void scales(const uint8_t* block, Vector to[2]) {
    to[0] = widen8(sixBitScales(block + 4));
  }
  static PACKED_INLINE void mins(const uint8_t* block, Vector to[2]) {
    to[0] = widen8(sixBitMins(block + 4));
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<0>(rows); }
  static PACKED_INLINE Vector dmin(const uint8_t* const rows[4]) { return halvesAt<2>(rows); }
};

// Low nibbles of 32 bytes are one sub-block of 32 values, high nibbles the next.
template <int at, int v>
PACKED_INLINE Vector pairedNibbles(const uint8_t* block, int chunk) {
  const Vector bytes = load(block + at + 32 * chunk + 16 * (v % 2));
  return v < 2 ? lowNibbles(bytes) : highNibbles(bytes);
}

template <>
struct Codes<Encoding::Q4_K> : CodesOfFourK {
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int chunk) {
    return pairedNibbles<16, v>(block, chunk);
  }
};

inline constexpr uint8_t kBits[8] = {1, 2, 4, 8, 16, 32, 64, 128};

// Bit s of qh[i] is the fifth bit of value i of sub-block s.
template <>
struct Codes<Encoding::Q5_K> : CodesOfFourK {
  static constexpr int kMax = 31;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int chunk) {
    // A mask is the same for all rows; a shift by a variable would cost each of them four
    // instructions.
    const Vector bit = wasm_v128_load8_splat(held(kBits) + 2 * chunk + v / 2);
    const Vector set = wasm_i8x16_eq(bitAnd(load(block + 16 + 16 * (v % 2)), bit), bit);
    const Vector fifth = bitAnd(set, splat8(16));
    return bitOr(pairedNibbles<48, v>(block, chunk), fifth);
  }
};

// Q6_K: chunk 2h + i takes 16 bytes of the low bits' two 32-byte rows of half h, and 16 of the high
// bits.
template <>
struct Codes<Encoding::Q6_K> : CodesOfBlock {
  static constexpr int kVectors = 4;
  static constexpr int kChunks = 4;
  static constexpr int kStride = 32;
  static constexpr int kZero = 32;
  static constexpr int kMax = 63;
  static constexpr bool kScaled = true;
  static constexpr int kMaxScale = 128;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int chunk) {
    const Vector low = load(block + asOneSum(64 * (chunk >> 1) + 16 * (chunk & 1)) + 32 * (v % 2));
    const Vector high = load(block + 128 + 16 * chunk);
    const Vector moved = v == 0   ? wasm_i16x8_shl(high, 4)
                         : v == 1 ? wasm_i16x8_shl(high, 2)
                         : v == 2 ? high
                                  : wasm_u16x8_shr(high, 2);
    return bitOr(v < 2 ? lowNibbles(low) : highNibbles(low), bitAnd(moved, splat8(0x30)));
  }
  static PACKED_INLINE void scales(const uint8_t* block, Vector to[2]) {
    const Vector scale = load(block + 192);
    to[0] = wasm_i16x8_extend_low_i8x16(scale);
    to[1] = wasm_i16x8_extend_high_i8x16(scale);
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<208>(rows); }
};

}  // namespace packed
