#include "kernels/relaxed_simd.h"

#include <algorithm>
#include <optional>

namespace packed {

#if !defined(PACKED_RELAXED_SIMD)

RelaxedDot relaxedDot() { return RelaxedDot::NARROW; }

#else

#if !defined(__wasm_relaxed_simd__)

namespace {

RelaxedDot emulated = RelaxedDot::NARROW;

struct Bytes16 {
  int8_t at[16];
};

int product(int8_t activation, int8_t code) {
  return activation * (emulated == RelaxedDot::SIGNED ? code : static_cast<uint8_t>(code));
}

int pair(const Bytes16& codes, const Bytes16& activations, int i) {
  const int sum = product(activations.at[2 * i], codes.at[2 * i]) +
                  product(activations.at[2 * i + 1], codes.at[2 * i + 1]);
  return emulated == RelaxedDot::NARROW ? std::clamp(sum, -32768, 32767) : sum;
}

}  // namespace

void emulateRelaxedDot(RelaxedDot dot) { emulated = dot; }
RelaxedDot relaxedDot() { return emulated; }

Vector relaxedDot32(Vector codes, Vector activations, Vector sums) {
  Bytes16 c, a;
  int32_t s[4];
  store(&c, codes);
  store(&a, activations);
  store(s, sums);
  for (int i = 0; i < 4; ++i) s[i] += pair(c, a, 2 * i) + pair(c, a, 2 * i + 1);
  return load(s);
}

Vector relaxedDot16(Vector codes, Vector activations) {
  Bytes16 c, a;
  int16_t s[8];
  store(&c, codes);
  store(&a, activations);
  for (int i = 0; i < 8; ++i) s[i] = static_cast<int16_t>(std::clamp(pair(c, a, i), -32768, 32767));
  return load(s);
}

#else

namespace {

// One lane of the dot product of sixteen equal pairs: four times code * activation, if exact.
int32_t fourTimes(int code, int activation) {
  const Vector sums = relaxedDot32(splat8(code), splat8(activation), zero());
  return wasm_i32x4_extract_lane(sums, 0);
}

bool exact(int code, int meaning) {
  return fourTimes(code, 127) == 4 * 127 * meaning && fourTimes(code, -128) == 4 * -128 * meaning;
}

RelaxedDot probe() {
  if (exact(255, 255) && exact(128, 128)) return RelaxedDot::UNSIGNED;
  if (exact(255, -1) && exact(128, -128)) return RelaxedDot::SIGNED;
  return RelaxedDot::NARROW;
}

}  // namespace

RelaxedDot relaxedDot() {
  static const RelaxedDot dot = probe();
  return dot;
}

#endif  // wasm
#endif  // relaxed

}  // namespace packed
