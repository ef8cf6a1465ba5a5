// The quantizers of 256-value blocks whose groups have small integer scales under one (or two)
// floats.
//
// First every group is fitted on its own (scale_search.h). Then the block's d is chosen so that the
// integer multiples of it come near what the groups want, each group takes the integer that loses
// least on its own values, and d is fitted once more to the integers chosen.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/half.h"
#include "encoding/scale_search.h"

namespace packed {

// value = d * scales[g] * level.
struct SymmetricBlock {
  uint16_t d = 0;  // fp16
  int scales[16];
  float levels[256];
};

// value = d * scales[g] * code - dmin * mins[g].
struct AffineBlock {
  uint16_t d = 0;     // fp16
  uint16_t dmin = 0;  // fp16
  int scales[16];
  int mins[16];
  float codes[256];
};

// `group` values share a scale of maxScale steps; see AffineBlock.
AffineBlock fitAffineBlock(const float* values, const float* weights, int group, float maxCode,
                           int maxScale);

namespace detail {

// Sum of weight * (wanted scale - d * integer)^2 with the nearest integers.
float scaleError(const ScaleFit* fits, int groups, int low, int high, float d);

// Of d and its near neighbours, the one whose multiples suit the groups best.
float bestStep(const ScaleFit* fits, int groups, int low, int high);

}  // namespace detail

// Scales are the integers low .. high, low negative and of greatest magnitude.
template <const auto& search, int group>
SymmetricBlock fitSymmetricBlock(const float* values, const float* weights, int low, int high) {
  constexpr auto levels = search.levels;
  constexpr int groups = 256 / group;
  SymmetricBlock block;
  ScaleFit fits[16];
  for (int g = 0; g < groups; ++g) {
    fits[g] = fitScale<search, group>(values + g * group, weights + g * group);
  }
  float d = detail::bestStep(fits, groups, low, high);
  for (int g = 0; g < groups; ++g) {
    block.scales[g] = static_cast<int>(
        std::clamp(std::nearbyint(fits[g].scale * reciprocal(d)), float(low), float(high)));
  }
  for (int round = 0; round < 2; ++round) {
    block.d = floatToHalf(d);
    const float stored = halfToFloat(block.d);
    Lanes xl = splat(0);
    Lanes ll = splat(0);
    for (int g = 0; g < groups; ++g) {
      const float* x = values + g * group;
      const float* w = weights + g * group;
      int best = block.scales[g];
      float bestError = errorOf(x, w, group, levels, stored * static_cast<float>(best));
      for (const int near : {block.scales[g] - 1, block.scales[g] + 1}) {
        if (near < low || near > high) continue;
        const float error = errorOf(x, w, group, levels, stored * static_cast<float>(near));
        if (error < bestError) {
          bestError = error;
          best = near;
        }
      }
      block.scales[g] = best;
      const float scale = stored * static_cast<float>(best);
      const Lanes inverse = splat(reciprocal(scale));
      const Lanes integer = splat(static_cast<float>(best));
      for (int i = 0; i < group; i += 4) {
        const Lanes v = loadLanes(x + i);
        const Lanes level = levels.nearest(v * inverse);
        storeLanes(block.levels + g * group + i, level);
        const Lanes step = integer * level;
        const Lanes weighted = loadLanes(w + i) * step;
        xl += weighted * v;
        ll += weighted * step;
      }
    }
    const float llSum = sumOf(ll);
    if (!(llSum > 0)) break;
    d = sumOf(xl) / llSum;
  }
  return block;
}

}  // namespace packed
