// The codes of BITNET_B1_58 (i2s.h): four in a byte, low bits first; 3 has no meaning.
#pragma once

#include <bit>
#include <cstdint>

namespace packed {

// Bytes of `count` codes, without the scale behind them.
inline uint64_t bitnetCodeBytes(uint64_t count) { return count / 4 + (count % 4 != 0); }

// Index of the first of `count` codes that is 3, or `count`.
inline uint64_t firstInvalidCode(const uint8_t* codes, uint64_t count) {
  for (uint64_t byte = 0; byte < bitnetCodeBytes(count); ++byte) {
    const unsigned both = codes[byte] & (codes[byte] >> 1) & 0x55u;
    if (both == 0) continue;
    const uint64_t index = byte * 4 + static_cast<uint64_t>(std::countr_zero(both)) / 2;
    if (index < count) return index;
  }
  return count;
}

}  // namespace packed
