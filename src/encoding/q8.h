// The encodings of eight-bit codes. Only Q8_0 is a format of weights; Q8_1 and Q8_K are what ggml
// turns activations into, and a file that holds them is unusual but well-formed.
//
//   Q8_0: 32 values in 34 bytes, value = d * code
//     0..1      d      fp16
//     2..33     codes  int8
//   Q8_1: 32 values in 36 bytes, value = d * code
//     0..1      d      fp16
//     2..3      s      fp16, d times the sum of the codes; not needed to decode
//     4..35     codes  int8
//   Q8_K: 256 values in 292 bytes, value = d * code
//     0..3      d      f32
//     4..259    codes  int8
//     260..291  sums   int16 for each 16 codes; not needed to decode
#pragma once

#include "encoding/block_parts.h"
#include "encoding/importance.h"

namespace packed {

template <>
struct BlockCodec<Encoding::Q8_0> {
  static void unpack(const uint8_t* block, BlockParts& parts);
  static void quantize(const float* values, const Importance& importance, uint8_t* block);
};

template <>
struct BlockCodec<Encoding::Q8_1> {
  static void unpack(const uint8_t* block, BlockParts& parts);
};

template <>
struct BlockCodec<Encoding::Q8_K> {
  static void unpack(const uint8_t* block, BlockParts& parts);
};

}  // namespace packed
