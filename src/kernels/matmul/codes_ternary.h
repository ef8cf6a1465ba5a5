// Codes of the one- and two-bit encodings with a single scale. Included by codes.h.
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

// TQ1_0: digit n of a byte is its fraction times 3^n, times 3, before the point
// (src/encoding/tq.h). Fractions are kept 128 lower, as signed bytes, which can be compared; times
// three they are so again. Vectors 0..9 are digits of the first 32 bytes, 10..14 of the next 16, 15
// all four digits of the last four.
template <>
struct Codes<Encoding::TQ1_0> : CodesOfBlock {
  static constexpr int kVectors = 16;
  static constexpr int kZero = 1;
  static constexpr int kMax = 2;
  static PACKED_INLINE Vector lowered(Vector bytes) { return bitXor(bytes, splat8(0x80)); }
  // Plain v + v + v becomes a multiplication of bytes, which does not exist: clang does it one by
  // one.
  static PACKED_INLINE Vector timesThree(Vector v) {
    return wasm_i8x16_add(v, bitAnd(wasm_i16x8_shl(v, 1), splat8(0xfe)));
  }
  template <int digit>
  static PACKED_INLINE Vector fraction(Vector v) {
    if constexpr (digit == 0) {
      return v;
    } else {
      return timesThree(fraction<digit - 1>(v));
    }
  }
  // 1 from 86 on, 2 from 171 on. A comparison that holds is -1.
  static PACKED_INLINE Vector firstDigit(Vector v) {
    const Vector one = bitAnd(wasm_i8x16_gt(v, splat8(85 - 128)), splat8(1));
    return wasm_i8x16_sub(one, wasm_i8x16_gt(v, splat8(170 - 128)));
  }
  template <int v>
  static PACKED_INLINE Vector codes(const uint8_t* block, int) {
    if constexpr (v < 10) {
      return firstDigit(fraction<v / 2>(lowered(load(block + 16 * (v % 2)))));
    } else if constexpr (v < 15) {
      return firstDigit(fraction<v - 10>(lowered(load(block + 32))));
    } else {
      const Vector once = lowered(loadSplat32(block + 48));
      const Vector thrice = timesThree(once);
      const Vector nine = timesThree(thrice);
      const Vector powers[4] = {once, thrice, nine, timesThree(nine)};
      return firstDigit(fourLanes(powers));
    }
  }
  static PACKED_INLINE Vector d(const uint8_t* const rows[4]) { return halvesAt<52>(rows); }

  // Digit n of a byte is (3 f - g) / 256, f being its fraction times 3^n and g that of 3^(n + 1),
  // both modulo 256: so digits times x are three times the sum of f * x less the sum of g * x, over
  // 256, exactly and in every lane. Fractions 128 lower make it digits less one. For dot products
  // that take eight bits of both: 255 * 127 * 64 per lane is less than 2^21.
  static constexpr bool kFractions = true;
  template <class Dot, int columns>
  static PACKED_INLINE void fractionSums(const uint8_t* block, const uint8_t* const* x, Vector flip,
                                         Vector* sums) {
    // Two sums of each, of which neither waits for the other's additions.
    Vector f[columns][2], g[columns][2];
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) f[c][0] = f[c][1] = g[c][0] = g[c][1] = zero();
    const auto add = [&](Vector fraction, Vector next, int v, int turn) {
      PACKED_UNROLL
      for (int c = 0; c < columns; ++c) {
        const auto values = Dot::at(x[c], 16 * v);
        f[c][turn] = Dot::template dot<Codes>(fraction, values, f[c][turn]);
        g[c][turn] = Dot::template dot<Codes>(next, values, g[c][turn]);
      }
    };
    Vector fraction[3];
    PACKED_UNROLL
    for (int part = 0; part < 3; ++part)
      fraction[part] = bitXor(lowered(load(block + 16 * part)), flip);
    PACKED_UNROLL
    for (int n = 0; n < 5; ++n) {
      PACKED_UNROLL
      for (int part = 0; part < 3; ++part) {
        const Vector next = timesThree(fraction[part]);
        add(fraction[part], next, part < 2 ? 2 * n + part : 10 + n, (n + part) % 2);
        fraction[part] = next;
      }
    }
    // Four bytes: each lane of a vector has them times another power.
    Vector power[5] = {bitXor(lowered(loadSplat32(block + 48)), flip)};
    PACKED_UNROLL
    for (int n = 0; n < 4; ++n) power[n + 1] = timesThree(power[n]);
    add(fourLanes(power), fourLanes(power + 1), 15, 1);
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) {
      const Vector once = add32(f[c][0], f[c][1]);
      const Vector thrice = add32(once, wasm_i32x4_shl(once, 1));
      sums[c] = wasm_i32x4_shr(wasm_i32x4_sub(thrice, add32(g[c][0], g[c][1])), 8);
    }
  }
  // Lane n of vector n.
  static PACKED_INLINE Vector fourLanes(const Vector* v) {
    return wasm_i64x2_shuffle(wasm_i32x4_shuffle(v[0], v[1], 0, 4, 1, 5),
                              wasm_i32x4_shuffle(v[2], v[3], 0, 4, 1, 5), 0, 2);
  }
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
