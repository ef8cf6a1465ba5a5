// Q4_K: 256 values in 144 bytes, 8 sub-blocks of 32, value = d * sc[s] * code - dmin * mn[s].
//
//   0..1     d       fp16
//   2..3     dmin    fp16
//   4..15    scales  8 scales and 8 minimums of 6 bits (unpackScalesAndMins)
//   16..143  codes   4 groups of 32 bytes: low nibbles are sub-block 2j, high nibbles 2j + 1
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

// The 12 bytes that Q4_K and Q5_K pack sixteen 6-bit numbers in: sub-blocks 0..3 use the low six
// bits of bytes 0..3 (scale) and 4..7 (minimum); sub-blocks 4..7 take four bits from bytes 8..11
// and the two spare bits above those.
inline void unpackScalesAndMins(const uint8_t* packedScales, int16_t* scales, int16_t* mins) {
  const uint8_t* B = packedScales;
  for (int s = 0; s < 4; ++s) {
    scales[s] = B[s] & 63;
    mins[s] = B[s + 4] & 63;
    scales[s + 4] = static_cast<int16_t>((B[s + 8] & 15) | (B[s] >> 6) << 4);
    mins[s + 4] = static_cast<int16_t>((B[s + 8] >> 4) | (B[s + 4] >> 6) << 4);
  }
}

// The inverse; scales and mins are 0 .. 63.
inline void packScalesAndMins(const int* scales, const int* mins, uint8_t* packedScales) {
  uint8_t* B = packedScales;
  for (int s = 0; s < 4; ++s) {
    B[s] = static_cast<uint8_t>(scales[s] | (scales[s + 4] >> 4) << 6);
    B[s + 4] = static_cast<uint8_t>(mins[s] | (mins[s + 4] >> 4) << 6);
    B[s + 8] = static_cast<uint8_t>((scales[s + 4] & 15) | (mins[s + 4] & 15) << 4);
  }
}

template <>
struct BlockCodec<Encoding::Q4_K> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
