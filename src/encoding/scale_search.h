// The searches behind the quantizers that have a choice: which scale (and minimum), of all those
// that can be stored, loses least. "Least" is the sum of weight * (value - decoded)^2, with the
// caller's importance as weight, or one for every value.
//
// A set of levels is a type with
//   float low, high          the extreme levels
//   Lanes nearest(Lanes v)   the level nearest to each v
#pragma once

#include "encoding/lanes.h"
#include "encoding/ranges.h"

namespace packed {

// The integers low .. high.
struct EvenLevels {
  float low;
  float high;
  Lanes nearest(Lanes v) const { return smaller(larger(roundEven(v), splat(low)), splat(high)); }
};

// One weight per value for blocks of up to 256: `importance`, or ones where it is null, or zero or
// negligible (below 1e-20) throughout the block, which would leave the search nothing to prefer.
const float* weightsOf(const float* importance, int count);

// Sum of weight * (value - scale * nearest level)^2.
template <class Levels>
float errorOf(const float* values, const float* weights, int count, const Levels& levels,
              float scale) {
  const Lanes inverse = splat(reciprocal(scale));
  const Lanes s = splat(scale);
  Lanes sum = splat(0);
  for (int i = 0; i < count; i += 4) {
    const Lanes v = loadLanes(values + i);
    const Lanes off = v - s * levels.nearest(v * inverse);
    sum += loadLanes(weights + i) * off * off;
  }
  return sumOf(sum);
}

struct ScaleFit {
  float scale = 0;
  float weight = 0;   // sum of weight * level^2: what a deviation from `scale` costs, squared
  float inverse = 0;  // levels.nearest(value * inverse) are the levels that `scale` was fitted to
};

// Which inverse scales are tried: the extreme value on (end + k * step), k = -count .. count, with
// the lowest level as end and, if bothEnds, the highest.
struct Candidates {
  int count;
  float step;
  bool bothEnds;
};

// The scale for one group. Each candidate gives levels, and those give their best scale in closed
// form, scale = sum(w x l) / sum(w l^2), which takes sum(w x l)^2 / sum(w l^2) off the error.
template <class Levels>
ScaleFit fitScale(const float* values, const float* weights, int count, const Levels& levels,
                  const Candidates& candidates) {
  const float extreme = extremeValue(values, count);
  ScaleFit best;
  double bestGain = 0;
  for (const float end : {levels.low, levels.high}) {
    if (end == levels.high && !candidates.bothEnds) break;
    for (int k = -candidates.count; k <= candidates.count; ++k) {
      const float inverse = (end + candidates.step * static_cast<float>(k)) / extreme;
      if (!std::isfinite(inverse)) return best;
      Lanes xl = splat(0);
      Lanes ll = splat(0);
      for (int i = 0; i < count; i += 4) {
        const Lanes v = loadLanes(values + i);
        const Lanes level = levels.nearest(v * splat(inverse));
        const Lanes weighted = loadLanes(weights + i) * level;
        xl += weighted * v;
        ll += weighted * level;
      }
      const float xlSum = sumOf(xl);
      const float llSum = sumOf(ll);
      const double gain = llSum > 0 ? double(xlSum) * xlSum / llSum : 0;
      if (gain > bestGain) {
        bestGain = gain;
        best = {xlSum / llSum, llSum, inverse};
      }
    }
  }
  return best;
}

// value = scale * code - minimum, code 0 .. maxCode, minimum >= 0.
struct AffineFit {
  float scale = 0;
  float minimum = 0;
};

AffineFit fitAffine(const float* values, const float* weights, int count, float maxCode);

// Sum of weight * (value - (scale * code - minimum))^2 with the nearest codes.
float affineErrorOf(const float* values, const float* weights, int count, float maxCode,
                    AffineFit fit);

}  // namespace packed
