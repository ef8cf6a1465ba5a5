// The searches behind the quantizers that have a choice: which scale (and minimum), of all those
// that can be stored, loses least. "Least" is the sum of weight * (value - decoded)^2, with the
// caller's importance as weight, or one for every value.
//
// A set of levels is a type with
//   float low, high                the extreme levels
//   Lanes nearest(Lanes v)         the level nearest to each v
//   Lanes nearestInside(Lanes v)   the same for low - 1/2 < v < high + 1/2
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "encoding/lanes.h"
#include "encoding/ranges.h"

namespace packed {

// The integers low .. high.
struct EvenLevels {
  float low;
  float high;
  Lanes nearest(Lanes v) const { return smaller(larger(roundEven(v), splat(low)), splat(high)); }
  Lanes nearestInside(Lanes v) const { return roundEven(v); }
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
  int tried = 0;  // a multiple of 4: the last one may be repeated

  constexpr ScaleSearch(Levels of, int count, float step, bool bothEnds) : levels(of) {
    for (const float end : {levels.low, levels.high}) {
      if (end == levels.high && !bothEnds) break;
      for (int k = -count; k <= count; ++k) ends[tried++] = end + step * static_cast<float>(k);
    }
    for (; tried % 4 != 0; ++tried) ends[tried] = ends[tried - 1];
  }

  // How far values of the other sign may reach, as a share of the extreme value, before one leaves
  // the levels by a half under any of these candidates. On its own side none is farther out than
  // the extreme value, which stands on the end. A little less than the half, for the roundings.
  constexpr float reachInside(int first, int count) const {
    float reach = 1;
    for (int c = first; c < first + count; ++c) {
      const bool below = ends[c] < 0;
      const float far = below ? -ends[c] : ends[c];
      const float across = (0.45f + (below ? levels.high : -levels.low)) / far;
      if (far > 0.45f + (below ? -levels.low : levels.high)) return 0;
      if (across < reach) reach = across;
    }
    return reach;
  }
};

// Index of the largest xl^2 / ll of `count` (a multiple of 4), the first of equals; -1 if all are
// zero. Gains are compared as integers, which order positive floats as well, and without a branch:
// which one wins is unpredictable.
template <int count>
int indexOfLargestGain(const float* xl, const float* ll) {
  IntLanes gains[count / 4];
  IntLanes largest = {};
  for (int v = 0; 4 * v < count; ++v) {
    const Lanes sum = loadLanes(xl + 4 * v);
    const Lanes weight = loadLanes(ll + 4 * v);
    const Lanes gain = sum * (sum / weight);
    gains[v] = reinterpret_cast<IntLanes>(gain) & (weight > splat(0));
    largest = gains[v] > largest ? gains[v] : largest;
  }
  largest = inAllLanes([](IntLanes a, IntLanes b) { return a > b ? a : b; }, largest);
  if (largest[0] <= 0) return -1;
  uint64_t found = 0;
  for (int v = 0; 4 * v < count; ++v) {
    found |= static_cast<uint64_t>(bitsOf(gains[v] == largest)) << (4 * v);
  }
  return std::countr_zero(found);
}

// sum(w x l) and sum(w l^2) for 4 * vectors inverse scales side by side, each over the values in
// sequence; wx are the products of weights and values. Three vectors are what the registers hold: a
// sum that is kept in memory between additions costs more than all the arithmetic. For the same
// reason this is a function of its own and its loop stays a loop. With `inside` no value times a
// scale leaves the levels by a half.
template <int vectors, bool inside, int count, class Levels>
[[gnu::noinline]] void sumCandidates(const float* values, const float* weights, const float* wx,
                                     const Levels& levels, const float* inverses, float* xl,
                                     float* ll) {
  Lanes inverse[vectors], xlLanes[vectors], llLanes[vectors];
  for (int v = 0; v < vectors; ++v) {
    inverse[v] = loadLanes(inverses + 4 * v);
    xlLanes[v] = llLanes[v] = splat(0);
  }
#pragma GCC unroll 1
  for (int i = 0; i < count; ++i) {
    const Lanes x = splat(values[i]);
    for (int v = 0; v < vectors; ++v) {
      const Lanes level =
          inside ? levels.nearestInside(x * inverse[v]) : levels.nearest(x * inverse[v]);
      xlLanes[v] += splat(wx[i]) * level;
      llLanes[v] += splat(weights[i]) * level * level;
    }
  }
  for (int v = 0; v < vectors; ++v) {
    storeLanes(xl + 4 * v, xlLanes[v]);
    storeLanes(ll + 4 * v, llLanes[v]);
  }
}

// The scale for one group of `count` values (a multiple of 4). Each candidate gives levels, and
// those give their best scale in closed form, scale = sum(w x l) / sum(w l^2), which takes
// sum(w x l)^2 / sum(w l^2) off the error.
template <const auto& search, int count>
ScaleFit fitScale(const float* values, const float* weights) {
  constexpr int tried = search.tried;
  const Extreme extreme = extremeOf(values, count);
  float inverses[tried], xl[tried], ll[tried];
  for (int c = 0; c < tried; c += 4) {
    storeLanes(inverses + c, loadLanes(search.ends + c) / extreme.value);
  }
  if (!std::isfinite(inverses[0]) || !std::isfinite(inverses[tried - 1])) return {};

  float wx[count];
  for (int i = 0; i < count; i += 4) {
    storeLanes(wx + i, loadLanes(weights + i) * loadLanes(values + i));
  }
  const float farthest = std::fabs(extreme.value[0]);
  const auto sumFrom = [&]<int first>(const auto& next) {
    constexpr int here = std::min(first == 0 ? 8 : 12, tried - first);
    constexpr float reach = search.reachInside(first, here);
    const auto sums = [&]<bool inside>() {
      sumCandidates<here / 4, inside, count>(values, weights, wx, search.levels, inverses + first,
                                             xl + first, ll + first);
    };
    if (reach > 0 && extreme.opposite[0] <= reach * farthest) {
      sums.template operator()<(reach > 0)>();
    } else {
      sums.template operator()<false>();
    }
    if constexpr (first + here < tried) next.template operator()<first + here>(next);
  };
  sumFrom.template operator()<0>(sumFrom);
  const int best = indexOfLargestGain<tried>(xl, ll);
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
