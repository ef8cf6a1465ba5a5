// The IQ2 family: 256 values in groups of 8, each an entry of a codebook with a sign per value.
// value = d * (0.5 + sc) / 4 * level, level +-8, +-25 or +-43 (iq_codebooks.h).
//
//   IQ2_XXS: 66 bytes, a scale for each 32 values
//     0..1    d       fp16
//     2..65   8 parts of 8 bytes: four index bytes, then a u32 with four 7-bit sign codes, low bits
//             first, and the scale in bits 28..31
//   IQ2_XS: 74 bytes, a scale for each 16 values
//     0..1    d       fp16
//     2..65   32 u16: low nine bits index, upper seven sign code
//     66..73  scales  low nibble for the first 16 values of each 32, high nibble for the others
//   IQ2_S: 82 bytes, a scale for each 16 values
//     0..1    d       fp16
//     2..33   indices low eight bits
//     34..65  signs   a mask per group, all eight bits stored
//     66..73  qh      bits 2l of byte p are index bits 8..9 of group 4p + l
//     74..81  scales  as IQ2_XS
//
// Scales of BlockParts are 2 * sc + 1, d is an eighth of the stored one.
#pragma once

#include "encoding/block_parts.h"

namespace packed {

template <>
struct BlockCodec<Encoding::IQ2_XXS> {
  static void unpack(const uint8_t* block, BlockParts& parts);
};

template <>
struct BlockCodec<Encoding::IQ2_XS> {
  static void unpack(const uint8_t* block, BlockParts& parts);
};

template <>
struct BlockCodec<Encoding::IQ2_S> {
  static void unpack(const uint8_t* block, BlockParts& parts);
};

}  // namespace packed
