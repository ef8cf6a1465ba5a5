// The clock that trace events and benchmarks read: nanoseconds since an arbitrary start, never
// going back.
#pragma once

#include <chrono>
#include <cstdint>

namespace packed {

inline uint64_t nowNanos() {
  const auto sinceStart = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(sinceStart).count());
}

}  // namespace packed
