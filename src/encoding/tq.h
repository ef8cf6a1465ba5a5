// The ternary block formats: codes 0, 1, 2 stand for -1, 0, +1. value = (code - 1) * d.
//
//   TQ2_0: 256 values in 66 bytes
//     0..63   codes   value 128c + 32l + m is bit pair l of byte 32c + m
//     64..65  d       fp16
//   TQ1_0: 256 values in 54 bytes, five base-3 digits a byte
//     0..31   digits  digit n of byte m is value 32n + m
//     32..47  digits  digit n of byte m is value 160 + 16n + m
//     48..51  qh      four digits a byte: digit n of byte j is value 240 + 4n + j
//     52..53  d       fp16
//
// A byte v of TQ1_0 holds its digits as the fraction v / 256 in base 3, most significant first:
// digit n is ((v * 3^n mod 256) * 3) >> 8. A number q = 0..242 is written as (q * 256 + 242) / 243,
// rounded down. Digits of a well-formed byte are 0..2. So are those of every other byte; code 3 of
// TQ2_0 decodes to 2 * d.
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

template <>
struct BlockCodec<Encoding::TQ1_0> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

template <>
struct BlockCodec<Encoding::TQ2_0> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

}  // namespace packed
