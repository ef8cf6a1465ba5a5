// Four floats at a time, for the searches of the quantizers. The compilers' vector extension
// becomes SSE, NEON or wasm SIMD; the sequence of additions is fixed by these four lanes, so a
// quantizer writes the same bytes on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

namespace packed {

using Lanes = float __attribute__((vector_size(16)));
using IntLanes = int32_t __attribute__((vector_size(16)));

inline Lanes splat(float value) { return Lanes{value, value, value, value}; }

inline Lanes loadLanes(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

inline void storeLanes(float* to, Lanes lanes) { std::memcpy(to, &lanes, sizeof lanes); }

inline Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
inline Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }
inline Lanes magnitude(Lanes a) {
  return reinterpret_cast<Lanes>(reinterpret_cast<IntLanes>(a) & 0x7fffffff);
}

// The largest (or smallest) lane in all of them.
template <class Choose, class FourLanes>
FourLanes inAllLanes(Choose choose, FourLanes a) {
  const FourLanes pairs = choose(a, __builtin_shufflevector(a, a, 2, 3, 0, 1));
  return choose(pairs, __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2));
}

inline float sumOf(Lanes a) { return (a[0] + a[1]) + (a[2] + a[3]); }
inline float largestOf(Lanes a) {
  const float low = a[0] > a[1] ? a[0] : a[1];
  const float high = a[2] > a[3] ? a[2] : a[3];
  return low > high ? low : high;
}
inline float smallestOf(Lanes a) { return -largestOf(-a); }

// To the nearest integer, halves to the even one, for |value| < 2^22: at 1.5 * 2^23 floats are
// integers.
inline Lanes roundEven(Lanes a) {
#ifdef __wasm_simd128__
  return static_cast<Lanes>(wasm_f32x4_nearest(static_cast<v128_t>(a)));
#else
  const Lanes shift = splat(0x1.8p23f);
  return (a + shift) - shift;
#endif
}

inline Lanes squareRoot(Lanes a) {
#ifdef __wasm_simd128__
  return static_cast<Lanes>(wasm_f32x4_sqrt(static_cast<v128_t>(a)));
#else
  return Lanes{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}

// Integers that stand in floats, as integers, for |value| < 2^22: with 1.5 * 2^23 added they are
// the low bits.
inline IntLanes toIntegers(Lanes a) {
  const Lanes shift = splat(0x1.8p23f);
  return reinterpret_cast<IntLanes>(a + shift) - reinterpret_cast<IntLanes>(shift);
}

// Eight small integers, as floats.
struct EightLanes {
  Lanes low;
  Lanes high;
};
inline EightLanes loadIntegers(const int8_t* from) {
#ifdef __wasm_simd128__
  const v128_t wide = wasm_i16x8_load8x8(from);
  const auto floats = [](v128_t lanes) {
    return static_cast<Lanes>(wasm_f32x4_convert_i32x4(lanes));
  };
  return {floats(wasm_i32x4_extend_low_i16x8(wide)), floats(wasm_i32x4_extend_high_i16x8(wide))};
#else
  EightLanes made;
  for (int l = 0; l < 4; ++l) {
    made.low[l] = from[l];
    made.high[l] = from[l + 4];
  }
  return made;
#endif
}

// The lowest byte of sixteen integers.
inline void storeLowBytes(uint8_t* to, const IntLanes (&whole)[4]) {
#ifdef __wasm_simd128__
  const auto lanes = [&whole](int i) { return static_cast<v128_t>(whole[i] & 255); };
  const v128_t low = wasm_i16x8_narrow_i32x4(lanes(0), lanes(1));
  const v128_t high = wasm_i16x8_narrow_i32x4(lanes(2), lanes(3));
  wasm_v128_store(to, wasm_u8x16_narrow_i16x8(low, high));
#else
  for (int i = 0; i < 16; ++i) to[i] = static_cast<uint8_t>(whole[i / 4][i % 4]);
#endif
}

// Bit l is set where lane l of a condition is.
inline uint32_t bitsOf(IntLanes condition) {
#ifdef __wasm_simd128__
  return wasm_i32x4_bitmask(static_cast<v128_t>(condition));
#else
  return (condition[0] & 1u) | (condition[1] & 2u) | (condition[2] & 4u) | (condition[3] & 8u);
#endif
}

// To the nearest integer, halves away from zero.
inline Lanes roundAway(Lanes a) {
  const Lanes even = roundEven(a);
  const Lanes rest = a - even;  // exact
  const Lanes up = ((rest == splat(0.5f)) & (a > splat(0))) ? splat(1) : splat(0);
  const Lanes down = ((rest == splat(-0.5f)) & (a < splat(0))) ? splat(1) : splat(0);
  return even + up - down;
}

}  // namespace packed
