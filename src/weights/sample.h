// Which of many things are looked at when not all are.
#pragma once

#include <cstdint>

namespace packed {

constexpr uint64_t kMostSamples = 1024;

// Number i of places that follow no rhythm of a grid: odd steps of the golden ratio.
inline uint64_t scatteredAt(uint64_t i, uint64_t all) {
  const auto step = static_cast<uint64_t>(static_cast<double>(all) * 0.6180339887) | 1u;
  return i * step % all;
}

// Number i of them: all of few, of many some.
inline uint64_t sampleAt(uint64_t i, uint64_t all) {
  return all <= kMostSamples ? i : scatteredAt(i, all);
}

}  // namespace packed
