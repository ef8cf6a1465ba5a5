// Bringing memory into the caches before it is read in another order.
#pragma once

#include <algorithm>
#include <cstdint>

namespace packed {

// Touches each cache line in the order of addresses, which hardware prefetches. A loop that then goes
// down the rows, each in another page, finds them cached: WebAssembly has no prefetch instruction.
inline void bringIntoCache(const uint8_t* from, uint64_t bytes) {
  constexpr uint64_t kLine = 64;
  uint32_t seen = 0;
  for (uint64_t at = 0; at < bytes; at += kLine) seen |= from[at];
  // Or clang would see that nobody asks for them.
  asm volatile("" ::"r"(seen));
}

// Rows of so few bytes that a machine sees the next ones coming: they share pages.
inline bool rowsAreNear(uint64_t rowBytes) { return rowBytes < 1024; }

// How many rows to bring at once so that they stay, a few at least and `most` at most.
inline uint64_t rowsInCache(uint64_t cacheBytes, uint64_t rowBytes, uint64_t most) {
  constexpr uint64_t kLeast = 16;
  return std::clamp(cacheBytes / std::max<uint64_t>(1, rowBytes), std::min(kLeast, most), most);
}

}  // namespace packed
