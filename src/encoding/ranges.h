// The extremes of a block's values, as the definitions of the quantizers ask for them.
#pragma once

#include <cmath>

#include "encoding/lanes.h"

namespace packed {

struct Range {
  float low;
  float high;
};

// The same lane by lane, before the lanes are compared with each other.
struct LaneRanges {
  Lanes low;
  Lanes high;
};

inline LaneRanges laneRangesOf(const float* values, int count) {
  Lanes low = loadLanes(values);
  Lanes high = low;
  for (int i = 4; i < count; i += 4) {
    const Lanes v = loadLanes(values + i);
    low = smaller(low, v);
    high = larger(high, v);
  }
  return {low, high};
}

// Smallest and largest of `count` values (a multiple of 4).
inline Range rangeOf(const float* values, int count) {
  const LaneRanges lanes = laneRangesOf(values, count);
  return {smallestOf(lanes.low), largestOf(lanes.high)};
}

// Never -0: a scale made of it would have a sign.
inline float largestMagnitude(const float* values, int count) {
  const Range range = rangeOf(values, count);
  return std::abs(range.high > -range.low ? range.high : range.low);
}

// The first value of greatest magnitude, with its sign, and how far values of the other sign go: 0
// or less when there are none.
struct Extreme {
  Lanes value;
  Lanes opposite;
};

inline Extreme extremeOf(const float* values, int count) {
  const LaneRanges lanes = laneRangesOf(values, count);
  const Lanes low = -inAllLanes(larger, -lanes.low);
  const Lanes high = inAllLanes(larger, lanes.high);
  const Extreme extreme{high > -low ? high : low, high > -low ? -low : high};
  if (high[0] != -low[0]) return extreme;
  for (int i = 0; i < count; ++i) {
    if (values[i] == low[0] || values[i] == high[0]) return {splat(values[i]), high};
  }
  return extreme;
}

// 1 / d; 0 where d is 0 or so small that its reciprocal is infinite: then the stored scale is zero
// as well, and every code may be the zero one.
inline float reciprocal(float d) {
  const float r = 1.0f / d;
  return std::isfinite(r) ? r : 0.0f;
}

}  // namespace packed
