// Memory for weights, activations and scratch: it starts with a cache line, so that what is read in
// whole registers from a row's beginning never crosses one.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "base/checked.h"

namespace packed {

// `size` uninitialised bytes, or null when the machine has none; std::free gives them back. Natively no
// size is rounded up: a sanitizer sees the first byte too many. In WebAssembly all of them take whole
// lines, the allocator's four bytes among them: scraps between them would be taken by small objects,
// which then keep them apart once they are free.
inline uint8_t* allocateLines(uint64_t size) {
  constexpr std::size_t kLine = 64;
  if (!fitsAddressSpace(size)) return nullptr;
#if defined(__wasm__)
  size = (size + 4 + kLine - 1) / kLine * kLine - 4;
#endif
  void* start = nullptr;
  const bool had =
      fitsAddressSpace(size) &&
      posix_memalign(&start, kLine, static_cast<std::size_t>(size == 0 ? 1 : size)) == 0;
  return had ? static_cast<uint8_t*>(start) : nullptr;
}

}  // namespace packed
