// Four-bit floats (E2M1): 0 0.5 1 1.5 2 3 4 6 and their negatives, under scales of eight bits.
//
//   MXFP4: 32 values in 17 bytes, value = 2^(e - 127) * level (OCP Microscaling Formats 1.0)
//     0      e      E8M0
//     1..16  codes  low nibble of byte j is value j, high nibble is value j + 16
//   NVFP4: 64 values in 36 bytes, four sub-blocks of 16, value = scale[s] * level
//     0..3   scale  UE4M3, one per sub-block; 0 and 0x7F decode to 0
//     4..35  codes  8 bytes per sub-block: low nibble of byte j is value j, high nibble is value
//                   j + 8
//
// Codes of BlockParts are twice the level, d half the scale.
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

// Twice the level of each code.
inline constexpr int8_t kFp4Levels[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

template <>
struct BlockCodec<Encoding::MXFP4> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

template <>
struct BlockCodec<Encoding::NVFP4> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
