// Codes of TQ1_0: five digits of base 3 to a byte. Included by codes.h.
#pragma once

namespace packed {

// 3^1 to 3^5 for the digits of eight bytes, then for those of the last four.
alignas(16) inline constexpr int16_t kThreeToThe[7][8] = {
    {3, 3, 3, 3, 3, 3, 3, 3},
    {9, 9, 9, 9, 9, 9, 9, 9},
    {27, 27, 27, 27, 27, 27, 27, 27},
    {81, 81, 81, 81, 81, 81, 81, 81},
    {243, 243, 243, 243, 243, 243, 243, 243},
    {3, 3, 3, 3, 9, 9, 9, 9},
    {27, 27, 27, 27, 81, 81, 81, 81},
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
  static constexpr bool kDigits = true;
  template <class Dot, int columns>
  static PACKED_INLINE void fractionSums(const uint8_t* block, const uint8_t* const* x, Vector flip,
                                         Vector* sums) {
    // Sums of which none waits for another's addition; of several columns there are enough. (Digits
    // are gone through in a loop: else V8 would have all fractions before the first product.)
    constexpr int kTurns = columns == 1 ? 3 : 1;
    Vector f[columns][kTurns], g[columns][kTurns];
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) {
      PACKED_UNROLL
      for (int t = 0; t < kTurns; ++t) f[c][t] = g[c][t] = zero();
    }
    const auto add = [&](Vector fraction, Vector next, uint32_t at, int turn) {
      PACKED_UNROLL
      for (int c = 0; c < columns; ++c) {
        const auto values = Dot::at(x[c] + at, 0);
        f[c][turn] = Dot::template dot<Codes>(fraction, values, f[c][turn]);
        g[c][turn] = Dot::template dot<Codes>(next, values, g[c][turn]);
      }
    };
    Vector fraction[3];
    PACKED_UNROLL
    for (int part = 0; part < 3; ++part)
      fraction[part] = bitXor(lowered(load(block + 16 * part)), flip);
    PACKED_ROLLED
    for (uint32_t n = 0; n < 5; ++n) {
      PACKED_UNROLL
      for (int part = 0; part < 3; ++part) {
        const Vector next = timesThree(fraction[part]);
        add(fraction[part], next, part < 2 ? 32 * n + 16 * part : 160 + 16 * n, part % kTurns);
        fraction[part] = next;
      }
    }
    // Four bytes: each lane of a vector has them times another power.
    Vector power[5] = {bitXor(lowered(loadSplat32(block + 48)), flip)};
    PACKED_UNROLL
    for (int n = 0; n < 4; ++n) power[n + 1] = timesThree(power[n]);
    add(fourLanes(power), fourLanes(power + 1), 240, 0);
    PACKED_UNROLL
    for (int c = 0; c < columns; ++c) {
      Vector once = f[c][0], less = g[c][0];
      PACKED_UNROLL
      for (int t = 1; t < kTurns; ++t) once = add32(once, f[c][t]), less = add32(less, g[c][t]);
      const Vector thrice = add32(once, wasm_i32x4_shl(once, 1));
      sums[c] = wasm_i32x4_shr(wasm_i32x4_sub(thrice, less), 8);
    }
  }
  // Lane n of vector n.
  static PACKED_INLINE Vector fourLanes(const Vector* v) {
    return wasm_i64x2_shuffle(wasm_i32x4_shuffle(v[0], v[1], 0, 4, 1, 5),
                              wasm_i32x4_shuffle(v[2], v[3], 0, 4, 1, 5), 0, 2);
  }

  // For dot products of 16-bit numbers: digit n is p(n + 1) - 3 p(n), p(n) being a byte times 3^n
  // over 256, rounded down (p(0) = 0). So digits times x are the sum of p(n + 1) * (x(n) - 3 x(n +
  // 1)), and nothing waits for the digit before. Four rows at once: 64 products of at most 242 *
  // 508 per lane are less than 2^23.
  static constexpr uint32_t kParts = 6;  // of eight bytes with five digits each
  template <int columns>
  static PACKED_INLINE void powerSums(const uint8_t* const rows[4], const uint8_t* const* x,
                                      Vector (*sums)[columns]) {
    Vector sum[4][columns];
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      PACKED_UNROLL
      for (int c = 0; c < columns; ++c) sum[r][c] = zero();
    }
    const auto add = [&](const Vector* bytes, const int16_t* factors, uint32_t at) {
      const Vector factor = load(held(factors));
      Vector values[columns];
      PACKED_UNROLL
      for (int c = 0; c < columns; ++c) values[c] = load(x[c] + 16 * at);
      PACKED_UNROLL
      for (int r = 0; r < 4; ++r) {
        const Vector power = wasm_u16x8_shr(wasm_i16x8_mul(bytes[r], factor), 8);
        PACKED_UNROLL
        for (int c = 0; c < columns; ++c) sum[r][c] = add32(sum[r][c], dot16(power, values[c]));
      }
    };
    Vector bytes[4];
    PACKED_ROLLED
    for (uint32_t part = 0; part < kParts; ++part) {
      PACKED_UNROLL
      for (int r = 0; r < 4; ++r) bytes[r] = wasm_u16x8_load8x8(rows[r] + 8 * part);
      PACKED_UNROLL
      for (uint32_t n = 0; n < 5; ++n) add(bytes, kThreeToThe[n], 5 * part + n);
    }
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      bytes[r] = wasm_u16x8_extend_low_u8x16(loadSplat32(rows[r] + 48));
    }
    add(bytes, kThreeToThe[5], 5 * kParts);
    add(bytes, kThreeToThe[6], 5 * kParts + 1);
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      PACKED_UNROLL
      for (int c = 0; c < columns; ++c) sums[r][c] = sum[r][c];
    }
  }

  // What powerSums multiplies by, in its order: for every eight bytes five times eight values, then
  // two digits of the last four bytes, and two.
  static void arrange(const int8_t* x, int16_t* to, uint32_t) {
    const auto put = [&](const int8_t* at, uint32_t step, bool last) {
      *to++ = static_cast<int16_t>(*at - (last ? 0 : 3 * at[step]));
    };
    for (uint32_t part = 0; part < kParts; ++part) {
      const bool first = part < 4;  // of the 32 bytes that come first
      const uint32_t step = first ? 32 : 16;
      const int8_t* from = first ? x + 8 * part : x + 160 + 8 * (part - 4);
      for (uint32_t n = 0; n < 5; ++n) {
        for (uint32_t i = 0; i < 8; ++i) put(from + step * n + i, step, n == 4);
      }
    }
    for (uint32_t i = 0; i < 16; ++i) put(x + 240 + i, 4, i >= 12);
  }
};

}  // namespace packed
