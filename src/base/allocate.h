// Memory for weights, activations and scratch: it starts with a cache line, so that what is read in
// whole registers from a row's beginning never crosses one.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "base/checked.h"

namespace packed {

// `size` uninitialised bytes, or null when the machine has none; std::free gives them back. No size
// is rounded up: a sanitizer sees the first byte too many.
inline uint8_t* allocateLines(uint64_t size) {
  constexpr std::size_t kLine = 64;
  void* start = nullptr;
  const bool had =
      fitsAddressSpace(size) &&
      posix_memalign(&start, kLine, static_cast<std::size_t>(size == 0 ? 1 : size)) == 0;
  return had ? static_cast<uint8_t*>(start) : nullptr;
}

}  // namespace packed
