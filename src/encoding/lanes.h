// Four floats at a time, for the searches of the quantizers. The compilers' vector extension
// becomes SSE, NEON or wasm SIMD; the sequence of additions is fixed by these four lanes, so a
// quantizer writes the same bytes on every machine.
#pragma once

#include <cstdint>
#include <cstring>

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
  const Lanes shift = splat(0x1.8p23f);
  return (a + shift) - shift;
}

// To the nearest integer, halves away from zero.
inline Lanes roundAway(Lanes a) {
  const Lanes even = roundEven(a);
  const Lanes rest = a - even;  // exact
  const Lanes up = (rest == splat(0.5f)) & (a > splat(0)) ? splat(1) : splat(0);
  const Lanes down = (rest == splat(-0.5f)) & (a < splat(0)) ? splat(1) : splat(0);
  return even + up - down;
}

}  // namespace packed
