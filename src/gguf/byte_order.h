// Fields in the byte order of the file. GGUF does not flag its order: the version does, since a
// version whose low 16 bits are all zero can only be one that is read the wrong way round.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/bits.h"

namespace packed {

template <class T>
T byteSwapped(T value) {
  auto bytes = std::bit_cast<std::array<uint8_t, sizeof(T)>>(value);
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

template <class T>
T loadField(const uint8_t* from, bool littleEndian) {
  const T value = loadLE<T>(from);
  return littleEndian ? value : byteSwapped(value);
}

}  // namespace packed
