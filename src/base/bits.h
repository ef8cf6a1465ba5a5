// Little-endian loads and stores at any address, and bit casts. Every multi-byte field of every
// encoding is little-endian and none is aligned, so this is the only way they are read.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace packed {

static_assert(std::endian::native == std::endian::little,
              "packed-weights reads little-endian formats on little-endian machines");

template <class T>
inline T loadLE(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
inline void storeLE(uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace packed
