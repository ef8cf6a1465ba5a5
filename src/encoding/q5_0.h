// Q5_0: 32 values in 22 bytes, value = d * (code - 16).
//
//   0..1   d      fp16
//   2..5   qh     bit j is the fifth bit of value j
//   6..21  codes  low nibble of byte j is value j, high nibble is value j + 16
#pragma once

#include "base/bits.h"
#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

// The codes 0..31 that Q5_0 and Q5_1 share: nibbles from `nibbles`, fifth bits from the 32 bits at
// `qh`.
inline void unpackFiveBitCodes(const uint8_t* qh, const uint8_t* nibbles, int8_t* codes) {
  const uint32_t high = loadLE<uint32_t>(qh);
  for (int j = 0; j < 16; ++j) {
    codes[j] = static_cast<int8_t>((nibbles[j] & 15) | (high >> j & 1) << 4);
    codes[j + 16] = static_cast<int8_t>((nibbles[j] >> 4) | (high >> (j + 16) & 1) << 4);
  }
}

template <>
struct BlockCodec<Encoding::Q5_0> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
