// Q3_K: 256 values in 110 bytes, 16 groups of 16, value = d * (sc[g] - 32) * (code - 4).
//
//   0..31     hmask   value 128n + 32j + l has its third bit at bit 4n + j of byte l
//   32..95    codes   value 128n + 32j + l has its low two bits at bits 2j of byte 32 + 32n + l
//   96..107   scales  sixteen 6-bit numbers in 12 bytes S: the low four bits of sc[g] are
//                       g < 8    the low nibble of S[g]
//                       g >= 8   the high nibble of S[g - 8]
//                     the upper two are bits 2j and 2j + 1 of S[8 + g % 4], j = g / 4
//   108..109  d       fp16
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

// The sixteen scales, -32 .. 31, from their 12 bytes.
inline void unpackScales(const uint8_t* packedScales, int16_t* scales) {
  const uint8_t* S = packedScales;
  for (int g = 0; g < 16; ++g) {
    const int low = g < 8 ? S[g] & 15 : S[g - 8] >> 4;
    const int high = S[8 + g % 4] >> (2 * (g / 4)) & 3;
    scales[g] = static_cast<int16_t>((low | high << 4) - 32);
  }
}

template <>
struct BlockCodec<Encoding::Q3_K> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
