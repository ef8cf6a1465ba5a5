// Q5_K: 256 values in 176 bytes, 8 sub-blocks of 32, value = d * sc[s] * code - dmin * mn[s].
//
//   0..1     d       fp16
//   2..3     dmin    fp16
//   4..15    scales  8 scales and 8 minimums of 6 bits (unpackScalesAndMins in q4_k.h)
//   16..47   qh      bit s of byte i is the fifth bit of value i of sub-block s
//   48..175  codes   4 groups of 32 bytes: low nibbles are sub-block 2j, high nibbles 2j + 1
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

template <>
struct BlockCodec<Encoding::Q5_K> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
