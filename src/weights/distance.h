// How far values that were found are from those that belong there, beside how far these are from
// each other: what all have in common proves nothing about where they belong.
#pragma once

#include <cstdint>

namespace packed {

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

constexpr uint64_t kMost = 1024;  // stretches of a weight that are looked at

// Number i of them: all of few, of many some that follow no rhythm of the grid.
inline uint64_t spread(uint64_t i, uint64_t all) {
  const auto step = static_cast<uint64_t>(static_cast<double>(all) * 0.6180339887) | 1u;
  return all <= kMost ? i : i * step % all;
}

}  // namespace packed
