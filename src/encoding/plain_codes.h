// Codes of the 32-value formats: rounding values to them, and the nibbles they are stored in.
#pragma once

#include "base/loops.h"
#include "encoding/importance.h"
#include "encoding/scale_search.h"

namespace packed {

// All integers; of two that are equally near the one farther from zero.
struct IntegersAway {
  Lanes nearest(Lanes v) const { return roundAway(v); }
};

// Code i = the level nearest to values[i] * inverse, plus zero; `count` is a multiple of 16.
template <class Levels>
void nearestCodes(const float* values, int count, float inverse, const Levels& levels, int32_t zero,
                  uint8_t* codes) {
  for (int i = 0; i < count; i += 16) {
    IntLanes whole[4];
    for (int v = 0; v < 4; ++v) {
      const Lanes scaled = loadLanes(values + i + 4 * v) * splat(inverse);
      whole[v] = toIntegers(levels.nearest(scaled)) + zero;
    }
    storeLowBytes(codes + i, whole);
  }
}

// Byte j holds the low four bits of codes j (low nibble) and j + half (high nibble), j < half.
inline void packNibbles(const uint8_t* codes, int half, uint8_t* bytes) {
  for (int j = 0; j < half; ++j) {
    bytes[j] = static_cast<uint8_t>((codes[j] & 15) | (codes[j + half] & 15) << 4);
  }
}

// The nibbles of 16 bytes less `zero`: the low ones, then the high ones.
inline void unpackNibbles(const uint8_t* bytes, uint8_t zero, int8_t* codes) {
  using Sixteen = uint8_t __attribute__((vector_size(16)));
  Sixteen pairs;
  std::memcpy(&pairs, bytes, sizeof pairs);
  const Sixteen low = (pairs & 15) - zero;
  const Sixteen high = (pairs >> 4) - zero;
  std::memcpy(codes, &low, sizeof low);
  std::memcpy(codes + 16, &high, sizeof high);
}

// The fifth bits of 32 codes, bit j of code j.
inline uint32_t fifthBits(const uint8_t* codes) {
  uint32_t bits = 0;
  PACKED_ONE_BY_ONE
  for (int j = 0; j < 32; ++j) bits |= static_cast<uint32_t>(codes[j] >> 4 & 1) << j;
  return bits;
}

// The weights under which Q4_0, Q4_1, Q5_0 and Q5_1 are fitted: importance * sqrt(mean square of
// the row + x^2), so that large values count more, but only in proportion.
inline void definedWeights(const float* values, const Importance& importance, float* weights) {
  const float* perValue = weightsOf(importance.perValue, 32);
  const Lanes mean = splat(importance.rowMeanSquare);
  for (int i = 0; i < 32; i += 4) {
    const Lanes x = loadLanes(values + i);
    storeLanes(weights + i, loadLanes(perValue + i) * squareRoot(mean + x * x));
  }
}

// Q4_0 and Q5_0: the best of 19 scales around the one that puts the extreme value on the lowest
// level, and the codes it was fitted to. Returns d.
template <int low>
float fitSymmetricCodes(const float* values, const Importance& importance, uint8_t* codes) {
  static constexpr ScaleSearch kSearch(EvenLevels{low, -low - 1}, 9, 0.1f, false);
  float weights[32];
  definedWeights(values, importance, weights);
  const ScaleFit fit = fitScale<kSearch, 32>(values, weights);
  nearestCodes(values, 32, fit.inverse, kSearch.levels, -low, codes);
  return fit.scale;
}

// Q4_1 and Q5_1: the best of 37 scales with their minimums, and the codes they were fitted to.
struct ScaleAndOffset {
  float d;
  float m;
};
ScaleAndOffset fitAffineCodes(const float* values, const Importance& importance, float maxCode,
                              uint8_t* codes);

}  // namespace packed
