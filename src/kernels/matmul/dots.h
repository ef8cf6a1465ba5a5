// Dot products of codes and int8 activations in the three ways that instruction sets offer. A GEMV
// is written once over them.
//
//   Wide    simd128: bytes are widened to 16 bits and multiplied by i32x4.dot_i16x8_s
//   Dot32   relaxed: four byte products per 32-bit lane
//   Dot16   relaxed: two byte products per 16-bit lane; the step to 32 bits multiplies by the
//           scale as well
//
// Each has X, sixteen activations as it wants them (loaded from what packActivations wrote), and
//
//   dot(codes, x, sum)            adds sixteen products to sum, of whatever width
//   scaled(sum, scale, total)     total + scale * sum, in 32-bit lanes; sum is of one group
//   whole(sum)                    sum in 32-bit lanes, for formats with a single scale
//   settle(sums)                  what the sums of four rows still have to be shifted by
//   kXBytes                       bytes of an activation
//   kLanes, kTimes                lanes of a sum, and how many times as large as it should be it is
#pragma once

#include "kernels/matmul/codes.h"
#include "kernels/relaxed_simd.h"

#if defined(PACKED_SIMD)

namespace packed {

// Sixteen activations as 8 odd ones `xo` and, of the even ones `xe`, 256 * xe - xo. Then with v =
// the codes as 16-bit lanes (256 * odd + even), v * xo + (v & 255) * (256 * xe - xo) = 256 * (odd *
// xo + even * xe): one operation per 16 codes instead of two to take them apart. |256 * xe - xo| <=
// 32639.
//
// Sums are 256-fold, in 32 bits modulo 2^32, so only what is shifted must fit. A lane holds a
// quarter of a block: 64 products of at most kMaxScale * kMax * 127 (a whole block of 32 Q8_0 codes
// sums to 256 * 32 * 255 * 127 < 2^28). Formats for which that exceeds 2^31 shift each group before
// scaling.
struct Wide {
  static constexpr bool kSignedAsOffset = true;
  static constexpr bool kTakesEightBits = false;  // of codes, at the price of seven
  static constexpr bool kTakesSixteenBits = true;

  struct X {
    Vector odd, even;
  };
  static constexpr int kXBytes = 2;
  static constexpr int kLanes = 4;
  static constexpr int kTimes = 256;
  static PACKED_INLINE X at(const void* x, int value) {
    const auto* from = static_cast<const uint8_t*>(x) + 2 * value;
    return {load(from), load(from + 16)};
  }

  template <class Format>
  static constexpr bool kShiftsGroups =
      256ll * 64 * 127 * Format::kMaxScale * (Format::kSigned ? 255 : Format::kMax) > INT32_MAX;

  static PACKED_INLINE Vector start() { return zero(); }

  template <class Format>
  static PACKED_INLINE Vector dot(Vector codes, const X& x, Vector sum) {
    // Even codes are taken as unsigned: signed ones 128 higher (see evenOnly in
    // pack_activations.h).
    if constexpr (Format::kSigned) codes = bitXor(codes, splat16(0x0080));
    return add32(sum, add32(dot16(codes, x.odd), dot16(bitAnd(codes, splat16(0x00ff)), x.even)));
  }

  template <class Format>
  static PACKED_INLINE Vector scaled(Vector sum, const int32_t* scale, Vector total) {
    if constexpr (kShiftsGroups<Format>) sum = wasm_i32x4_shr(sum, 8);
    return add32(total, wasm_i32x4_mul(sum, loadSplat32(scale)));
  }
  static PACKED_INLINE Vector whole(Vector sum) { return sum; }

  template <class Format>
  static PACKED_INLINE Vector settle(Vector sums) {
    return Format::kScaled && kShiftsGroups<Format> ? sums : wasm_i32x4_shr(sums, 8);
  }

  static PACKED_INLINE Vector scaleLow(Vector s) { return wasm_i32x4_extend_low_i16x8(s); }
  static PACKED_INLINE Vector scaleHigh(Vector s) { return wasm_i32x4_extend_high_i16x8(s); }
};

// Sixteen activations as Wide::at loads them.
PACKED_INLINE void storeSplit(int16_t* to, Vector bytes) {
  const Vector odd = wasm_i16x8_shr(bytes, 8);
  store(to, odd);
  store(to + 8, wasm_i16x8_sub(wasm_i16x8_shl(bytes, 8), odd));
}

#if defined(PACKED_RELAXED_SIMD)

// Activations in their natural order.
struct NaturalX {
  static constexpr bool kSignedAsOffset = false;
  static constexpr bool kTakesEightBits = false;
  static constexpr bool kTakesSixteenBits = false;

  struct X {
    Vector bytes;
  };
  static constexpr int kXBytes = 1;
  static constexpr int kTimes = 1;
  static PACKED_INLINE X at(const void* x, int value) {
    return {load(static_cast<const uint8_t*>(x) + value)};
  }
  static PACKED_INLINE Vector start() { return zero(); }
  template <class Format>
  static PACKED_INLINE Vector settle(Vector sums) {
    return sums;
  }
};

// Signed codes need relaxedDot() to be SIGNED, or UNSIGNED with codes 128 higher (`offset`).
struct Dot32 : NaturalX {
  static constexpr int kLanes = 4;
  static constexpr bool kTakesEightBits = true;
  template <class Format>
  static PACKED_INLINE Vector dot(Vector codes, const X& x, Vector sum) {
    return relaxedDot32(codes, x.bytes, sum);
  }
  template <class Format>
  static PACKED_INLINE Vector scaled(Vector sum, const int32_t* scale, Vector total) {
    return add32(total, wasm_i32x4_mul(sum, loadSplat32(scale)));
  }
  static PACKED_INLINE Vector whole(Vector sum) { return sum; }
  static PACKED_INLINE Vector scaleLow(Vector s) { return wasm_i32x4_extend_low_i16x8(s); }
  static PACKED_INLINE Vector scaleHigh(Vector s) { return wasm_i32x4_extend_high_i16x8(s); }
};

// A 16-bit lane holds two products per 16 codes added: at most 2 * kMax * 127 each. A group is one
// or two such sums, a block with a single scale at most sixteen; the assertion below says that they
// fit.
struct Dot16 : NaturalX {
  static constexpr int kLanes = 8;
  template <class Format>
  static PACKED_INLINE Vector dot(Vector codes, const X& x, Vector sum) {
    static_assert(!Format::kSigned && kGroup<Format> / 16 * 2 * Format::kMax * 127 <= INT16_MAX);
    return wasm_i16x8_add(sum, relaxedDot16(codes, x.bytes));
  }
  template <class Format>
  static PACKED_INLINE Vector scaled(Vector sum, const int32_t* scale, Vector total) {
    return add32(total, dot16(sum, loadSplat32(scale)));
  }
  static PACKED_INLINE Vector whole(Vector sum) { return wasm_i32x4_extadd_pairwise_i16x8(sum); }
  // Both halves of the 32-bit lane hold the scale.
  static PACKED_INLINE Vector scaleLow(Vector s) {
    return wasm_i16x8_shuffle(s, s, 0, 8, 1, 9, 2, 10, 3, 11);
  }
  static PACKED_INLINE Vector scaleHigh(Vector s) {
    return wasm_i16x8_shuffle(s, s, 4, 12, 5, 13, 6, 14, 7, 15);
  }
};

#endif  // PACKED_RELAXED_SIMD

}  // namespace packed

#endif
