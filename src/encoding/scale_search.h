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
inline constexpr int kMostCandidates = 64;
struct Candidates {
  int count;
  float step;
  bool bothEnds;
};

// The scale for one group. Each candidate gives levels, and those give their best scale in closed
// form, scale = sum(w x l) / sum(w l^2), which takes sum(w x l)^2 / sum(w l^2) off the error. Eight
// candidates are summed side by side, each over the values in sequence.
template <class Levels>
ScaleFit fitScale(const float* values, const float* weights, int count, const Levels& levels,
                  const Candidates& candidates) {
  float inverses[kMostCandidates];
  const float extreme = extremeValue(values, count);
  int tried = 0;
  for (const float end : {levels.low, levels.high}) {
    if (end == levels.high && !candidates.bothEnds) break;
    for (int k = -candidates.count; k <= candidates.count; ++k) {
      inverses[tried++] = end + candidates.step * static_cast<float>(k);
    }
  }
  while (tried % 8 != 0) inverses[tried++] = levels.low;
  for (int c = 0; c < tried; c += 4) {
    storeLanes(inverses + c, loadLanes(inverses + c) / splat(extreme));
  }
  if (!std::isfinite(inverses[0]) || !std::isfinite(inverses[tried - 1])) return {};

  ScaleFit best;
  double bestGain = 0;
  for (int c = 0; c < tried; c += 8) {
    const Lanes inverse0 = loadLanes(inverses + c);
    const Lanes inverse1 = loadLanes(inverses + c + 4);
    Lanes xl0 = splat(0), xl1 = splat(0), ll0 = splat(0), ll1 = splat(0);
    for (int i = 0; i < count; ++i) {
      const Lanes x = splat(values[i]);
      const Lanes w = splat(weights[i]);
      const Lanes level0 = levels.nearest(x * inverse0);
      const Lanes level1 = levels.nearest(x * inverse1);
      const Lanes wx = w * x;
      xl0 += wx * level0;
      xl1 += wx * level1;
      ll0 += w * level0 * level0;
      ll1 += w * level1 * level1;
    }
    float xl[8], ll[8];
    storeLanes(xl, xl0);
    storeLanes(xl + 4, xl1);
    storeLanes(ll, ll0);
    storeLanes(ll + 4, ll1);
    for (int l = 0; l < 8; ++l) {
      // gain = xl^2 / ll, compared without dividing.
      const double square = double(xl[l]) * xl[l];
      if (!(square > bestGain * ll[l])) continue;
      bestGain = square / ll[l];
      best = {xl[l] / ll[l], ll[l], inverses[c + l]};
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
