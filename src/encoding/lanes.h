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
inline Lanes magnitude(Lanes a) { return larger(a, -a); }

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

inline void storeIntegers(int32_t* to, Lanes integers) {
  const IntLanes whole = toIntegers(integers);
  std::memcpy(to, &whole, sizeof whole);
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
