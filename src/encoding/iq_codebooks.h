// The codebooks of the IQ families and what their entries stand for, eight (or four) values at a
// time in the bytes of one integer, value 0 in the lowest byte.
//
// An entry packs level numbers of two or three bits (iq_codebooks.inc). The functions here spread
// it to one byte per value and map level numbers to levels by arithmetic on all bytes at once; no
// step carries from one byte into the next, which the comments show.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace packed {

extern const uint16_t kIq2Xxs[256];
extern const uint16_t kIq2Xs[512];
extern const uint16_t kIq2S[1024];
extern const uint16_t kIq3Xxs[256];
extern const uint16_t kIq3S[512];
extern const uint16_t kIq1[2048];

// Eight numbers of two bits, one per byte.
constexpr uint64_t spread2(uint16_t entry) {
  uint64_t x = entry;
  x = (x | x << 24) & 0x000000ff000000ff;
  x = (x | x << 12) & 0x000f000f000f000f;
  return (x | x << 6) & 0x0303030303030303;
}

// Four numbers of three bits, one per byte.
constexpr uint32_t spread3(uint16_t entry) {
  uint32_t x = entry;
  x = (x | x << 10) & 0x003f003f;
  return (x | x << 5) & 0x07070707;
}

// IQ2: level numbers 0, 1, 2 are 8, 25, 43 = 8 + 17k + (k == 2). At most 43 per byte.
constexpr uint64_t iq2Levels(uint16_t entry) {
  const uint64_t k = spread2(entry);
  return 0x0808080808080808 + 17 * k + (k >> 1 & 0x0101010101010101);
}

// IQ3_XXS: 4, 12, 20, .. 52, 62 = 4 + 8k + 2(k == 7). At most 62 per byte.
constexpr uint32_t iq3XxsLevels(uint16_t entry) {
  const uint32_t k = spread3(entry);
  return 0x04040404 + 8 * k + ((k & k >> 1 & k >> 2 & 0x01010101) << 1);
}

// IQ3_S: 1, 3, .. 15 = 1 + 2k.
constexpr uint32_t iq3SLevels(uint16_t entry) { return 0x01010101 + 2 * spread3(entry); }

// IQ1: level numbers 0, 1, 2 are -1, 0, +1; the value is level + delta with delta = 1/8 or, where
// its sign bit is set, -1/8. What is added to eight level numbers, each times eight: -7 or -9 as
// int8.
inline constexpr uint64_t kIq1Shifts[2] = {0xf9f9f9f9f9f9f9f9, 0xf7f7f7f7f7f7f7f7};

// Seven stored sign bits and an eighth that makes the number of minus signs even.
constexpr uint8_t evenSigns(uint32_t code) {
  return static_cast<uint8_t>(code | (std::popcount(code) & 1) << 7);
}

// 0xff in byte j where bit j of `signs` is set.
constexpr uint64_t signMask(uint8_t signs) {
  constexpr uint64_t ones = 0x0101010101010101;
  const uint64_t bits = ones * signs & 0x8040201008040201;
  return ((bits + 0x7f7f7f7f7f7f7f7f) >> 7 & ones) * 0xff;
}

// Sixteen bytes at once, in two words as the codebooks have them.
using TwoWords = uint64_t __attribute__((vector_size(16)));
using FourWords = uint32_t __attribute__((vector_size(16)));
using SixteenCodes = int8_t __attribute__((vector_size(16)));

// All of the above for each entry and each pattern of signs, spread once, at first use: unpacking
// looks up what it would take some fifty operations for eight values to work out.
struct SpreadCodebooks {
  uint64_t iq2Xxs[256];
  uint64_t iq2Xs[512];
  uint64_t iq2S[1024];
  uint32_t iq3Xxs[256];
  uint32_t iq3S[512];
  uint64_t iq1[2048];  // eight times the level numbers: see kIq1Shifts
  uint64_t signs[256];
  uint64_t evenSigns[128];
};
const SpreadCodebooks& spreadCodebooks();

}  // namespace packed
