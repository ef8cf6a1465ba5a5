// The IQ1 family: 256 values in groups of 8, each an 11-bit index into one codebook of -1, 0, +1
// and a common shift. value = d * (2 * sc + 1) * (level +- 1/8).
//
//   IQ1_S: 50 bytes, a scale and a shift for each 32 values
//     0..1    d        fp16
//     2..33   indices  low eight bits
//     34..49  8 u16: bits 3l are index bits 8..10 of group l, 12..14 the scale, bit 15 set when the
//             shift is negative
//   IQ1_M: 56 bytes, a scale for each 16 values, a shift for each 8
//     0..31   indices  low eight bits
//     32..47  qh       a nibble per group, low first: three index bits, then the shift's sign
//     48..55  4 u16: four 3-bit scales each in the low twelve bits; their top nibbles, low to high,
//             are d in fp16
//
// Codes of BlockParts are eight times level +- 1/8, d is an eighth of the stored one, scales are
// 2 * sc + 1.
#pragma once

#include "encoding/block_parts.h"

namespace packed {

template <>
struct BlockCodec<Encoding::IQ1_S> {
  static void unpack(const uint8_t* block, BlockParts& parts);
};

template <>
struct BlockCodec<Encoding::IQ1_M> {
  static void unpack(const uint8_t* block, BlockParts& parts);
};

}  // namespace packed
