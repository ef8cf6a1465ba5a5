// The searches behind the quantizers that have a choice: which scale (and minimum), of all those
// that can be stored, loses least. "Least" is the sum of weight * (value - decoded)^2, with the
// caller's importance as weight, or one for every value.
//
// A set of levels is a type with
//   float low, high          the extreme levels
//   Lanes nearest(Lanes v)   the level nearest to each v
//   Lanes nearestAbove(Lanes v)   the same for v > low - 1/2
#pragma once

#include <algorithm>
#include <cmath>

#include "encoding/lanes.h"
#include "encoding/ranges.h"

namespace packed {

// The integers low .. high.
struct EvenLevels {
  float low;
  float high;
  Lanes nearest(Lanes v) const { return smaller(larger(roundEven(v), splat(low)), splat(high)); }
  Lanes nearestAbove(Lanes v) const { return smaller(roundEven(v), splat(high)); }
};

// One weight per value for blocks of up to 256: `importance`, or ones where it is null, or zero or
// negligible (below 1e-12) throughout the block, which would leave the search nothing to prefer.
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

inline constexpr int kMostCandidates = 60;

// Levels and the inverse scales that are tried for them: the extreme value on (end + k * step),
// k = -count .. count, with the lowest level as end and, if bothEnds, the highest.
template <class Levels>
struct ScaleSearch {
  Levels levels;
  float ends[kMostCandidates] = {};
  int tried = 0;  // a multiple of 4
  // Per eight of them: no value reaches low - 1/2, since none is further from zero than the extreme
  // one; a little less than 1/2 for the roundings.
  bool above[kMostCandidates / 8 + 1] = {};

  constexpr ScaleSearch(Levels of, int count, float step, bool bothEnds) : levels(of) {
    for (const float end : {levels.low, levels.high}) {
      if (end == levels.high && !bothEnds) break;
      for (int k = -count; k <= count; ++k) ends[tried++] = end + step * static_cast<float>(k);
    }
    while (tried % 4 != 0) ends[tried++] = levels.low;
    for (bool& one : above) one = true;
    for (int c = 0; c < tried; ++c) {
      const float far = ends[c] < 0 ? -ends[c] : ends[c];
      if (far >= 0.45f - levels.low) above[c / 8] = false;
    }
  }
};

// Index of the largest xl^2 / ll of `count` (a multiple of 4), the first of equals; -1 if all are
// zero. Gains are compared as integers, which order positive floats as well, and without a branch:
// which one wins is unpredictable.
inline int indexOfLargestGain(const float* xl, const float* ll, int count) {
  IntLanes gains[kMostCandidates / 4];
  IntLanes largest = {};
  for (int v = 0; 4 * v < count; ++v) {
    const Lanes sum = loadLanes(xl + 4 * v);
    const Lanes weight = loadLanes(ll + 4 * v);
    const Lanes gain = sum * (sum / weight);
    gains[v] = reinterpret_cast<const IntLanes&>(gain) & (weight > splat(0));
    largest = gains[v] > largest ? gains[v] : largest;
  }
  const int32_t best = std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
  if (best <= 0) return -1;
  IntLanes index = {0, 1, 2, 3};
  IntLanes first = IntLanes{} + count;
  for (int v = 0; 4 * v < count; ++v, index += 4) {
    const IntLanes here = gains[v] == best ? index : IntLanes{} + count;
    first = here < first ? here : first;
  }
  return std::min(std::min(first[0], first[1]), std::min(first[2], first[3]));
}

// sum(w x l) and sum(w l^2) for 4 * vectors inverse scales side by side, each over the values in
// sequence; wx are the products of weights and values. Two vectors are what the registers hold: a
// sum that is kept in memory between additions costs more than all the arithmetic. With `above` no
// value times a scale reaches low - 1/2.
template <int vectors, bool above, class Levels>
void sumCandidates(const float* values, const float* weights, const float* wx, int count,
                   const Levels& levels, const float* inverses, float* xl, float* ll) {
  Lanes inverse[vectors], xlLanes[vectors], llLanes[vectors];
  for (int v = 0; v < vectors; ++v) {
    inverse[v] = loadLanes(inverses + 4 * v);
    xlLanes[v] = llLanes[v] = splat(0);
  }
  for (int i = 0; i < count; ++i) {
    const Lanes x = splat(values[i]);
    for (int v = 0; v < vectors; ++v) {
      const Lanes level =
          above ? levels.nearestAbove(x * inverse[v]) : levels.nearest(x * inverse[v]);
      xlLanes[v] += splat(wx[i]) * level;
      llLanes[v] += splat(weights[i]) * level * level;
    }
  }
  for (int v = 0; v < vectors; ++v) {
    storeLanes(xl + 4 * v, xlLanes[v]);
    storeLanes(ll + 4 * v, llLanes[v]);
  }
}

// The scale for one group. Each candidate gives levels, and those give their best scale in closed
// form, scale = sum(w x l) / sum(w l^2), which takes sum(w x l)^2 / sum(w l^2) off the error.
template <class Levels>
ScaleFit fitScale(const float* values, const float* weights, int count,
                  const ScaleSearch<Levels>& search) {
  const int tried = search.tried;
  const Lanes extreme = splat(extremeValue(values, count));
  float inverses[kMostCandidates], xl[kMostCandidates], ll[kMostCandidates];
  for (int c = 0; c < tried; c += 4) {
    storeLanes(inverses + c, loadLanes(search.ends + c) / extreme);
  }
  if (!std::isfinite(inverses[0]) || !std::isfinite(inverses[tried - 1])) return {};

  float wx[256];
  for (int i = 0; i < count; i += 4) {
    storeLanes(wx + i, loadLanes(weights + i) * loadLanes(values + i));
  }
  for (int c = 0; c < tried; c += 8) {
    const auto sums = [&]<int vectors, bool above>() {
      sumCandidates<vectors, above>(values, weights, wx, count, search.levels, inverses + c, xl + c,
                                    ll + c);
    };
    const bool above = search.above[c / 8];
    if (c + 8 <= tried) {
      above ? sums.template operator()<2, true>() : sums.template operator()<2, false>();
    } else {
      above ? sums.template operator()<1, true>() : sums.template operator()<1, false>();
    }
  }
  const int best = indexOfLargestGain(xl, ll, tried);
  return best < 0 ? ScaleFit{} : ScaleFit{xl[best] / ll[best], ll[best], inverses[best]};
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
