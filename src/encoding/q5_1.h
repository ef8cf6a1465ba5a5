// Q5_1: 32 values in 24 bytes, value = d * code + m.
//
//   0..1   d      fp16
//   2..3   m      fp16, the smallest value of the block
//   4..7   qh     bit j is the fifth bit of value j
//   8..23  codes  low nibble of byte j is value j, high nibble is value j + 16
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

template <>
struct BlockCodec<Encoding::Q5_1> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
