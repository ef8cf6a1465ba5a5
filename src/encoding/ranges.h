// The extremes of a block's values, as the definitions of the quantizers ask for them.
#pragma once

#include <cmath>

#include "encoding/lanes.h"

namespace packed {

// Greatest magnitude of `count` values (a multiple of 4).
inline float largestMagnitude(const float* values, int count) {
  Lanes largest = splat(0);
  for (int i = 0; i < count; i += 4) largest = larger(largest, magnitude(loadLanes(values + i)));
  return largestOf(largest);
}

// The first value of greatest magnitude, with its sign.
inline float extremeValue(const float* values, int count) {
  const float largest = largestMagnitude(values, count);
  for (int i = 0; i < count; ++i) {
    if (std::fabs(values[i]) == largest) return values[i];
  }
  return 0;
}

struct Range {
  float low;
  float high;
};

inline Range rangeOf(const float* values, int count) {
  Lanes low = loadLanes(values);
  Lanes high = low;
  for (int i = 4; i < count; i += 4) {
    const Lanes v = loadLanes(values + i);
    low = smaller(low, v);
    high = larger(high, v);
  }
  return {smallestOf(low), largestOf(high)};
}

// 1 / d; 0 where d is 0 or so small that its reciprocal is infinite: then the stored scale is zero
// as well, and every code may be the zero one.
inline float reciprocal(float d) {
  const float r = 1.0f / d;
  return std::isfinite(r) ? r : 0.0f;
}

}  // namespace packed
