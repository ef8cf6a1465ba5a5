// Q4_1: 32 values in 20 bytes, value = d * code + m.
//
//   0..1   d      fp16
//   2..3   m      fp16, the smallest value of the block
//   4..19  codes  low nibble of byte j is value j, high nibble is value j + 16
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

// d * code + m, as Q4_1 and Q5_1 have it: the offset is a minimum of -m, subtracted once.
inline void setScaleAndOffset(BlockParts& parts, float d, float m) {
  parts.scales[0] = 1;
  parts.mins[0] = 1;
  parts.d[0] = d;
  parts.dmin = -m;
}

template <>
struct BlockCodec<Encoding::Q4_1> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
