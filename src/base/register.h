// Sixteen bytes side by side: one SIMD register where there is one. (std::memcpy alone may become
// two moves of eight.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace packed {

constexpr std::size_t kRegister = 16;
using Register = uint8_t __attribute__((vector_size(kRegister)));

inline Register loadRegister(const uint8_t* from) {
  Register bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

inline bool isZero(Register bytes) {
  uint64_t words[2];
  std::memcpy(words, &bytes, sizeof words);
  return (words[0] | words[1]) == 0;
}

}  // namespace packed
