// BlockParts: one block taken apart into the integers and floats that it stores. What every
// encoding means is said once, by unpacking into this; decoding, exact integer dot products and the
// pictures of a block all follow from it.
//
//   value[i] = (d[s] * scales[g]) * codes[i] - dmin * mins[g]
//
// with g = i / group and s = i / (elements / floatScales): a single d for the whole block but in
// NVFP4, whose four sub-blocks of 16 have a float scale each. Computed in f32 from left to right
// without fused multiply-add, this is bit for bit the reference decoder's value:
//   - codes have the format's zero point already taken off (Q4_0: nibble - 8);
//   - level tables with halves or eighths are stored multiplied by a power of two and d divided by
//     it (MXFP4: twice the level; IQ1_S: eight times level +- 1/8), which is exact;
//   - formats with a minimum added rather than subtracted (Q4_1: d*code + m) store dmin = -m and
//     mins = 1.
//
// Bounds that integer kernels rely on: |codes| <= 128; |scales| <= 128; 0 <= mins <= 63.
#pragma once

#include <cstdint>

#include "encoding/encoding.h"

namespace packed {

inline constexpr uint32_t kMaxBlockElements = 256;
inline constexpr uint32_t kMaxBlockGroups = 16;

struct BlockParts {
  int8_t codes[kMaxBlockElements];
  int16_t scales[kMaxBlockGroups];  // one per group; 1 where the format has none
  int16_t mins[kMaxBlockGroups];    // one per group; 0 where the format has none
  float d[4];                       // d[0], or one per sub-block (NVFP4)
  float dmin;                       // 0 where the format has none
};

// Whether values have a minimum taken off; where not, dmin and mins are 0 and arithmetic leaves
// them out.
constexpr bool hasMinimum(Encoding encoding) {
  return encoding == Encoding::Q4_1 || encoding == Encoding::Q5_1 || encoding == Encoding::Q2_K ||
         encoding == Encoding::Q4_K || encoding == Encoding::Q5_K;
}

// Whether each group has a float scale of its own in d[g], and no integer one.
constexpr bool hasFloatScalePerGroup(Encoding encoding) { return encoding == Encoding::NVFP4; }

// Sets what a format without group scales leaves at rest.
inline void setSingleScale(BlockParts& parts, float d) {
  parts.scales[0] = 1;
  parts.mins[0] = 0;
  parts.d[0] = d;
  parts.dmin = 0;
}

// Specialized beside each format (q4_0.h, ...):
//   static void unpack(const uint8_t* block, BlockParts& parts);
//   static void quantize(const float* values, const Importance& importance, uint8_t* block);
// `quantize` is absent where no quantizer exists; its values are finite, the caller has checked.
// Importance (importance.h) is how much an error on each value counts.
template <Encoding encoding>
struct BlockCodec {};

}  // namespace packed
