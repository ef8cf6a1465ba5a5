// Q1_0 and Q2_0: one and two bits a value, in sequence, low bits first.
//
//   Q1_0: 128 values in 18 bytes, value = bit ? d : -d
//     0..1   d      fp16
//     2..17  codes  value j is bit j % 8 of byte j / 8
//   Q2_0: 64 values in 18 bytes, value = (code - 1) * d
//     0..1   d      fp16
//     2..17  codes  value j is bit pair j % 4 of byte j / 4
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

template <>
struct BlockCodec<Encoding::Q1_0> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

template <>
struct BlockCodec<Encoding::Q2_0> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
