// The 16-bit and 8-bit floats that scales are stored in, to and from f32, exactly.
//
//   fp16    IEEE 754 binary16; subnormals, infinities and NaN included
//   bf16    the upper half of an f32
//   E8M0    a bare power of two, 2^(e-127). The OCP specification makes 255 NaN; the reference
//           decoder of MXFP4 does not, and neither do we: 255 is 2^128, read as half of it because
//           it exceeds f32
//   UE4M3   unsigned 4-bit exponent, 3-bit mantissa, bias 7; 0 and 0x7F decode to 0 (NVFP4)
#pragma once

#include <bit>
#include <cstdint>

#include "base/bits.h"

namespace packed {

// Without branches, so that loops become vectors, and without subnormal operands.
inline float halfToFloat(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(h & 0x7fffu) << 13;
  constexpr uint32_t kRebias = 0x38000000u;
  // Infinity and NaN are rebiased twice; the payload moves up unchanged.
  const uint32_t normal = magnitude + kRebias + (magnitude < 0x0f800000u ? 0 : kRebias);
  // A subnormal number has no leading one: read as if it had, which is taken off again, exactly.
  const float withOne = std::bit_cast<float>(magnitude + kRebias + 0x00800000u);
  const uint32_t subnormal = std::bit_cast<uint32_t>(withOne - 0x1p-14f);
  return std::bit_cast<float>(sign | (magnitude < 0x00800000u ? subnormal : normal));
}

// Round to nearest, ties to even; overflow goes to infinity, NaN stays NaN (quietened).
inline uint16_t floatToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65536 and above
  if (magnitude < 0x38800000u) {  // below 2^-14: adding 0.5 rounds to multiples of 2^-24
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t odd = magnitude >> 13 & 1u;
  return static_cast<uint16_t>(sign | (magnitude - 0x38000000u + 0xfffu + odd) >> 13);
}

inline float loadHalf(const uint8_t* from) { return halfToFloat(loadLE<uint16_t>(from)); }
inline void storeHalf(uint8_t* to, float value) { storeLE<uint16_t>(to, floatToHalf(value)); }

inline float bf16ToFloat(uint16_t b) {
  return std::bit_cast<float>(static_cast<uint32_t>(b) << 16);
}

// Round to nearest, ties to even; NaN stays NaN (quietened).
inline uint16_t floatToBf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

// 2^(e-128): half the E8M0 value. 2^-128 and 2^-127 are subnormal.
inline float halfOfE8m0(uint8_t e) {
  return std::bit_cast<float>(e < 2 ? 0x00200000u << e : static_cast<uint32_t>(e - 1) << 23);
}

inline float ue4m3ToFloat(uint8_t u) {
  if (u == 0 || u == 0x7f) return 0;
  const int exponent = u >> 3 & 15;
  const auto mantissa = static_cast<float>(u & 7);
  if (exponent == 0) return mantissa * 0x1p-9f;
  return std::bit_cast<float>(static_cast<uint32_t>(exponent + 120) << 23) *
         (1 + mantissa * 0.125f);
}

// To the nearest UE4M3, halves up; at most 448, the largest. `value` is not negative.
inline uint8_t floatToUe4m3(float value) {
  if (value >= 448) return 0x7e;
  if (value < 0x1p-6f) {  // subnormal: multiples of 2^-9; 8 of them are the first normal number
    return static_cast<uint8_t>(value * 512.0f + 0.5f);
  }
  // Exponent and three bits of mantissa are adjacent, so a carry out of the mantissa is right as
  // well.
  const uint32_t bits = std::bit_cast<uint32_t>(value) + 0x80000u;
  const uint32_t code = (bits >> 20) - (120u << 3);
  return static_cast<uint8_t>(code < 0x7e ? code : 0x7e);
}

}  // namespace packed
