// How far values that were found are from those that belong there, beside how far these are from
// each other: what all have in common proves nothing about where they belong.
#pragma once

#include <cstdint>

namespace packed {

// Values of a PLAIN encoding that are held against others together, where there are no blocks.
inline constexpr uint64_t kValuesTogether = 32;

struct Distance {
  double off = 0;
  double signal = 0;
};

inline Distance distanceOf(const float* found, const float* right, uint64_t count) {
  double mean = 0;
  for (uint64_t i = 0; i < count; ++i) mean += static_cast<double>(right[i]);
  mean /= static_cast<double>(count);
  Distance distance;
  for (uint64_t i = 0; i < count; ++i) {
    const double off = static_cast<double>(found[i]) - static_cast<double>(right[i]);
    const double beside = static_cast<double>(right[i]) - mean;
    distance.off += off * off;
    distance.signal += beside * beside;
  }
  return distance;
}

}  // namespace packed
