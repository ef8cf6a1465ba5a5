#include "kernels/calibrate.h"

#include "kernels/relaxed_simd.h"

namespace packed {

#if !defined(PACKED_SIMD)

uint64_t runDotCeiling(uint32_t) { return 0; }
uint64_t runAddCeiling(uint32_t) { return 0; }
uint32_t runStreamRead(const uint8_t* bytes, uint64_t count) {
  uint32_t all = 0;
  for (uint64_t i = 0; i < count; ++i) all ^= bytes[i];
  return all;
}

#else

namespace {

// Sums in flight cover the latency of what adds to itself (five cycles, two begun in each, on some
// processors); fixed and changing factors pair up so that no product can be reused. All together
// fit the registers of every engine.
#if defined(__wasm_relaxed_simd__)
constexpr uint64_t kProducts = 16;
constexpr int kSums = 10, kFixed = 2, kChanging = 1, kSteps = 10;
PACKED_INLINE Vector step(Vector sum, Vector a, Vector b) { return relaxedDot32(a, b, sum); }
#else
constexpr uint64_t kProducts = 8;
constexpr int kSums = 4, kFixed = 6, kChanging = 2, kSteps = 12;
PACKED_INLINE Vector step(Vector sum, Vector a, Vector b) { return add32(sum, dot16(a, b)); }
#endif

// Where results go that only exist so that the loop does.
volatile uint32_t discarded;

uint32_t lane0(Vector v) { return static_cast<uint32_t>(wasm_i32x4_extract_lane(v, 0)); }

template <int count>
PACKED_INLINE void keep(const Vector (&sums)[count]) {
  Vector all = sums[0];
  PACKED_UNROLL
  for (int i = 1; i < count; ++i) all = bitXor(all, sums[i]);
  discarded = lane0(all);
}

}  // namespace

uint64_t runDotCeiling(uint32_t iterations) {
  Vector sums[kSums], fixed[kFixed], changing[kChanging];
  PACKED_UNROLL
  for (Vector& sum : sums) sum = zero();
  PACKED_UNROLL
  for (int i = 0; i < kFixed; ++i) fixed[i] = splat16(5 + 2 * i);
  PACKED_UNROLL
  for (int i = 0; i < kChanging; ++i) changing[i] = splat16(1 + i);
  PACKED_ROLLED
  for (uint32_t i = 0; i < iterations; ++i) {
    PACKED_UNROLL
    for (int s = 0; s < kSteps; ++s) {
      Vector& sum = sums[s % kSums];
      sum = step(sum, changing[s % kChanging], fixed[s / kChanging % kFixed]);
    }
    PACKED_UNROLL
    for (Vector& factor : changing) factor = add32(factor, fixed[0]);
  }
  keep(sums);
  return static_cast<uint64_t>(iterations) * kSteps * kProducts;
}

uint64_t runAddCeiling(uint32_t iterations) {
  Vector sums[12];
  const Vector one = splat16(1);
  PACKED_UNROLL
  for (Vector& sum : sums) sum = zero();
  PACKED_ROLLED
  for (uint32_t n = 0; n < iterations; ++n) {
    PACKED_UNROLL
    for (int i = 0; i < 12; ++i) sums[i] = add32(sums[i], one);
  }
  keep(sums);
  return uint64_t{iterations} * 12;
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
