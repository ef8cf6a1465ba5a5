// Codes of the encodings with blocks of 32 values (and IQ4_XS, which is eight of them under one
// scale). Included by codes.h.
#pragma once

namespace packed {

// Four-bit codes whose low nibbles are values 0..15 and high nibbles 16..31.
template <int at, int v>
PACKED_INLINE Vector splitNibbles(const uint8_t* block) {
  const Vector bytes = load(block + at);
  return v == 0 ? lowNibbles(bytes) : highNibbles(bytes);
}

template <>
struct Codes<Encoding::Q4_0> : CodesOfBlock {
  static constexpr int kQuickHalves = 1;
  static constexpr int kVectors = 2;
  static constexpr int kZero = 8;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int) {
    return splitNibbles<2, v>(block);
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<0>(rows); }
};

// d * code + m: a minimum of -m, taken off once.
template <>
struct Codes<Encoding::Q4_1> : CodesOfBlock {
  static constexpr int kQuickHalves = 2;
  static constexpr int kVectors = 2;
  static constexpr bool kMinimum = true;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int) {
    return splitNibbles<4, v>(block);
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<0>(rows); }
  static PACKED_INLINE Vector dmin(const uint8_t* const rows[4]) {
    return wasm_f32x4_neg(halvesAt<2>(rows));
  }
};

// For each byte, its eight bits as eight bytes of 0 or 16. A look-up of eight bytes costs less than
// spreading bits with masks and comparisons, and 2 KB stay in the first-level cache.
alignas(16) inline constexpr auto kSpreadBits = [] {
  std::array<uint64_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    for (uint64_t bit = 0; bit < 8; ++bit)
      table[byte] |= static_cast<uint64_t>(byte >> bit & 1) << (8 * bit + 4);
  }
  return table;
}();

// The fifth bits of sixteen values, as 0 or 16 in each byte.
PACKED_INLINE Vector fifthBits(const uint8_t* twoBytes) {
  const uint64_t* table = held(kSpreadBits.data());
  const Vector first = wasm_v128_load64_zero(table + twoBytes[0]);
  return wasm_v128_load64_lane(table + twoBytes[1], first, 1);
}

template <>
struct Codes<Encoding::Q5_0> : CodesOfBlock {
  static constexpr int kQuickHalves = 1;
  static constexpr int kVectors = 2;
  static constexpr int kZero = 16;
  static constexpr int kMax = 31;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int) {
    return bitOr(splitNibbles<6, v>(block), fifthBits(block + 2 + 2 * v));
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<0>(rows); }
};

template <>
struct Codes<Encoding::Q5_1> : CodesOfBlock {
  static constexpr int kQuickHalves = 2;
  static constexpr int kVectors = 2;
  static constexpr int kMax = 31;
  static constexpr bool kMinimum = true;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int) {
    return bitOr(splitNibbles<8, v>(block), fifthBits(block + 4 + 2 * v));
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<0>(rows); }
  static PACKED_INLINE Vector dmin(const uint8_t* const rows[4]) {
    return wasm_f32x4_neg(halvesAt<2>(rows));
  }
};

template <>
struct Codes<Encoding::Q8_0> : CodesOfBlock {
  static constexpr int kQuickHalves = 1;
  static constexpr int kVectors = 2;
  static constexpr int kMax = 128;
  static constexpr bool kSigned = true;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int) {
    return load(block + 2 + 16 * v);
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<0>(rows); }
};

// Q8_0 with the sum of the codes beside the scale, which only whoever multiplies by them needs.
template <>
struct Codes<Encoding::Q8_1> : Codes<Encoding::Q8_0> {
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int) {
    return load(block + 4 + 16 * v);
  }
};

// The level that each byte of `nibbles`, 0..15, stands for.
PACKED_INLINE Vector levelsOf(const int8_t* table, Vector nibbles) {
  // Read through a pointer that the optimizer cannot see through: see splat8.
  return bytesAt(load(held(table)), nibbles);
}

template <>
struct Codes<Encoding::IQ4_NL> : CodesOfBlock {
  static constexpr int kQuickHalves = 1;
  static constexpr int kVectors = 2;
  static constexpr int kMax = 128;
  static constexpr bool kSigned = true;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int) {
    return levelsOf(kIq4Levels, splitNibbles<2, v>(block));
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<0>(rows); }
};

template <>
struct Codes<Encoding::IQ4_XS> : CodesOfBlock {
  static constexpr int kVectors = 4;
  static constexpr int kChunks = 4;
  static constexpr int kMax = 128;
  static constexpr bool kSigned = true;
  static constexpr bool kScaled = true;
  static constexpr int kMaxScale = 32;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int chunk) {
    return levelsOf(kIq4Levels, splitNibbles<8 + 16 * (v / 2), v % 2>(block + 32 * chunk));
  }
  static PACKED_INLINE void scales(const uint8_t* block, Vector to[2]) {
    const Vector packedLow = wasm_v128_load32_zero(block + 4);
    const Vector low = lowNibbles(packedLow);
    const Vector high = highNibbles(packedLow);
    const Vector nibbles =
        wasm_i8x16_shuffle(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    // Bits 2s and 2s + 1 of scales_h to the top of lane s, then down.
    const Vector lift =
        wasm_i16x8_make(1 << 14, 1 << 12, 1 << 10, 1 << 8, 1 << 6, 1 << 4, 1 << 2, 1);
    const Vector upper =
        wasm_u16x8_shr(wasm_i16x8_mul(wasm_v128_load16_splat(block + 2), lift), 14);
    const Vector scale = bitOr(wasm_u16x8_extend_low_u8x16(nibbles), wasm_i16x8_shl(upper, 4));
    to[0] = wasm_i16x8_sub(scale, splat16(32));
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<0>(rows); }
};

// Twice the level plus 12: 0..24.
alignas(16) inline constexpr int8_t kFp4Table[16] = {12, 13, 14, 15, 16, 18, 20, 24,
                                                     12, 11, 10, 9,  8,  6,  4,  0};

template <>
struct Codes<Encoding::MXFP4> : CodesOfBlock {
  static constexpr int kVectors = 2;
  static constexpr int kZero = 12;
  static constexpr int kMax = 24;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int) {
    return levelsOf(kFp4Table, splitNibbles<1, v>(block));
  }
  // halfOfE8m0, four at a time: (e - 1) << 23, or where that is less (e = 0 and 1: subnormal) (e +
  // 1) << 21.
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) {
    Vector e = zero();
    e = wasm_v128_load8_lane(rows[0], e, 3);
    e = wasm_v128_load8_lane(rows[1], e, 7);
    e = wasm_v128_load8_lane(rows[2], e, 11);
    e = wasm_v128_load8_lane(rows[3], e, 15);
    const Vector normal = wasm_i32x4_sub(wasm_u32x4_shr(e, 1), splat32(0x00800000));
    return wasm_i32x4_max(normal, add32(wasm_u32x4_shr(e, 3), splat32(0x00200000)));
  }
};

// NVFP4, whose four groups of sixteen have a float scale each. No Codes of its own: a GEMV that has
// one scale to apply at the end cannot take it (gemv_nvfp4.h does).
struct CodesOfNvfp4 : CodesOfBlock {
  static constexpr int kVectors = 4;
  static constexpr int kZero = 12;
  static constexpr int kMax = 24;
  static constexpr int kFloatScales = 4;
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int) {
    const Vector bytes = wasm_v128_load64_zero(block + 4 + 8 * v);
    const Vector nibbles = wasm_i64x2_shuffle(bytes, wasm_u16x8_shr(bytes, 4), 0, 2);
    return levelsOf(kFp4Table, lowNibbles(nibbles));
  }
  // A row's four.
  static PACKED_INLINE Vector floatScales(const uint8_t* block) {
    const Vector bytes = withoutNone(wasm_v128_load32_zero(block));
    return scalesOf(
        wasm_i32x4_shl(wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(bytes)), 20));
  }
  // Those of four rows' groups: to[group].
  static PACKED_INLINE void floatScales(const uint8_t* const rows[4], Vector to[4]) {
    Vector bytes = wasm_v128_load32_zero(rows[0]);
    bytes = wasm_v128_load32_lane(rows[1], bytes, 1);
    bytes = wasm_v128_load32_lane(rows[2], bytes, 2);
    bytes = withoutNone(wasm_v128_load32_lane(rows[3], bytes, 3));
    to[0] = scalesOf(wasm_i32x4_shl(bytes, 20));
    to[1] = scalesOf(wasm_i32x4_shl(bytes, 12));
    to[2] = scalesOf(wasm_i32x4_shl(bytes, 4));
    to[3] = scalesOf(wasm_u32x4_shr(bytes, 4));
  }

 private:
  // 0x7f means 0.
  static PACKED_INLINE Vector withoutNone(Vector bytes) {
    return wasm_v128_andnot(bytes, wasm_i8x16_eq(bytes, splat8(0x7f)));
  }
  // Half of ue4m3ToFloat, of what stands in bits 20 to 26: as if normal, 2^(e - 8) * (1 + m / 8);
  // as if subnormal, 2^(e - 7) * (1 + m / 8) - 2^-7. The lesser one is right, and neither has a
  // subnormal operand.
  static PACKED_INLINE Vector scalesOf(Vector lifted) {
    const Vector places = bitAnd(lifted, splat32(0x7f << 20));
    const Vector least = splat32(120 << 23);
    const Vector normal = add32(places, splat32(119 << 23));
    const Vector subnormal = wasm_f32x4_sub(add32(places, least), least);
    return wasm_i32x4_min(normal, subnormal);
  }
};

}  // namespace packed
