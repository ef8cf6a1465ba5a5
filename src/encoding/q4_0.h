// Q4_0: 32 values in 18 bytes, value = d * (code - 8).
//
//   0..1   d      fp16
//   2..17  codes  low nibble of byte j is value j, high nibble is value j + 16
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

template <>
struct BlockCodec<Encoding::Q4_0> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
