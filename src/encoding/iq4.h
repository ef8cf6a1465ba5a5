// IQ4_NL and IQ4_XS: four-bit codes that index sixteen levels, denser near zero.
//
//   IQ4_NL: 32 values in 18 bytes, value = d * level
//     0..1    d         fp16
//     2..17   codes     low nibble of byte j is value j, high nibble is value j + 16
//   IQ4_XS: 256 values in 136 bytes, 8 sub-blocks of 32, value = d * (sc[s] - 32) * level
//     0..1    d         fp16
//     2..3    scales_h  u16: bits 2s are the upper two bits of scale s
//     4..7    scales_l  nibble s % 2 of byte s / 2 is the low four bits of scale s
//     8..135  codes     16 bytes per sub-block, nibbles as in IQ4_NL
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"
#include "encoding/lanes.h"

namespace packed {

inline constexpr int8_t kIq4Levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                          1,    13,   25,  38,  53,  69,  89,  113};

// As a set of levels for the scale search (scale_search.h).
struct Iq4Levels {
  float low = -127;
  float high = 113;
  Lanes nearest(Lanes v) const;
  Lanes nearestInside(Lanes v) const { return nearest(v); }
};

template <>
struct BlockCodec<Encoding::IQ4_NL> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

template <>
struct BlockCodec<Encoding::IQ4_XS> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
