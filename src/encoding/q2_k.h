// Q2_K: 256 values in 84 bytes, 16 groups of 16, value = d * sc[g] * code - dmin * mn[g].
//
//   0..15   scales  low nibble is the scale, high nibble the minimum of group g
//   16..79  codes   value 128n + 32j + l is bits 2j and 2j + 1 of byte 16 + 32n + l
//   80..81  d       fp16
//   82..83  dmin    fp16
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

template <>
struct BlockCodec<Encoding::Q2_K> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
