// Q6_K: 256 values in 210 bytes, 16 groups of 16, value = d * sc[g] * (code - 32).
//
//   0..127    ql      low four bits of the codes
//   128..191  qh      upper two bits of the codes
//   192..207  scales  int8
//   208..209  d       fp16
//
// Of half h (128 values) and l in 0..31, values l, l + 32, l + 64, l + 96 take their low bits from
// the low nibbles of ql[64h + l] and ql[64h + l + 32], then from their high nibbles; their upper
// bits are the four bit pairs of qh[32h + l], lowest first. Groups follow the values: group g is
// values 16g..16g + 15.
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

template <>
struct BlockCodec<Encoding::Q6_K> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
