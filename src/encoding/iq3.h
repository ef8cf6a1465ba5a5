// The IQ3 family: 256 values in groups of 8, each two codebook entries of four values and a sign
// per value.
//
//   IQ3_XXS: 98 bytes, value = d * (0.5 + sc) / 2 * level, level +-4 .. +-62
//     0..1      d        fp16
//     2..65     indices  two per group
//     66..97    8 u32: four 7-bit sign codes, low bits first, and the scale in bits 28..31
//   IQ3_S: 110 bytes, value = d * (1 + 2 * sc) * level, level +-1 .. +-15
//     0..1      d        fp16
//     2..65     indices  low eight bits, two per group
//     66..73    qh       bits 2l and 2l + 1 of byte p are bit 8 of the two indices of group 4p + l
//     74..105   signs    a mask per group, all eight bits stored
//     106..109  scales   a nibble for each 32 values, low first
//
// Scales of BlockParts are 2 * sc + 1; d of IQ3_XXS is a quarter of the stored one.
#pragma once

#include "encoding/block_parts.h"

namespace packed {

template <>
struct BlockCodec<Encoding::IQ3_XXS> {
  static void unpack(const uint8_t* block, BlockParts& parts);
};

template <>
struct BlockCodec<Encoding::IQ3_S> {
  static void unpack(const uint8_t* block, BlockParts& parts);
};

}  // namespace packed
