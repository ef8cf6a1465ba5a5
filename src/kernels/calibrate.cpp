#include "kernels/calibrate.h"

#include "kernels/relaxed_simd.h"

namespace packed {

#if !defined(PACKED_SIMD)

uint64_t runDotCeiling(uint32_t) { return 0; }
uint32_t runStreamRead(const uint8_t* bytes, uint64_t count) {
  uint32_t all = 0;
  for (uint64_t i = 0; i < count; ++i) all ^= bytes[i];
  return all;
}

#else

namespace {

#if defined(__wasm_relaxed_simd__)
constexpr uint64_t kProducts = 16;
PACKED_INLINE Vector step(Vector sum, Vector a, Vector b) { return relaxedDot32(a, b, sum); }
#else
constexpr uint64_t kProducts = 8;
PACKED_INLINE Vector step(Vector sum, Vector a, Vector b) { return add32(sum, dot16(a, b)); }
#endif

// Where results go that only exist so that the loop does.
volatile uint32_t discarded;

uint32_t lane0(Vector v) { return static_cast<uint32_t>(wasm_i32x4_extract_lane(v, 0)); }

}  // namespace

// Six sums in flight cover the latency, and with their factors still fit the registers of every
// engine; the factors change so that no product can be reused.
uint64_t runDotCeiling(uint32_t iterations) {
  const Vector b0 = splat16(5), b1 = splat16(7), b2 = splat16(9);
  Vector p = splat16(1), q = splat16(2);
  Vector s0 = zero(), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  PACKED_ROLLED
  for (uint32_t i = 0; i < iterations; ++i) {
    s0 = step(s0, p, b0);
    s1 = step(s1, p, b1);
    s2 = step(s2, p, b2);
    s3 = step(s3, q, b0);
    s4 = step(s4, q, b1);
    s5 = step(s5, q, b2);
    p = add32(p, b0);
    q = add32(q, b1);
  }
  discarded = lane0(add32(add32(add32(s0, s1), add32(s2, s3)), add32(s4, s5)));
  return static_cast<uint64_t>(iterations) * 6 * kProducts;
}

uint32_t runStreamRead(const uint8_t* bytes, uint64_t count) {
  Vector a = zero(), b = a, c = a, d = a;
  for (uint64_t i = 0; i + 64 <= count; i += 64) {
    a = bitXor(a, load(bytes + i));
    b = bitXor(b, load(bytes + i + 16));
    c = bitXor(c, load(bytes + i + 32));
    d = bitXor(d, load(bytes + i + 48));
  }
  return lane0(bitXor(bitXor(a, b), bitXor(c, d)));
}

#endif

}  // namespace packed
