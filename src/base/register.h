// Sixteen bytes side by side: one SIMD register where there is one. (std::memcpy alone may become
// two moves of eight.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace packed {

constexpr std::size_t kRegister = 16;
using Register = uint8_t __attribute__((vector_size(kRegister)));

inline Register loadRegister(const uint8_t* from) {
  Register bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

constexpr std::size_t registersOf(std::size_t bytes) { return (bytes + kRegister - 1) / kRegister; }

// Sixteen bytes from byte `from` of `low`, which `high` follows.
template <std::size_t from>
inline Register spanning(Register low, Register high) {
  return [=]<std::size_t... i>(std::index_sequence<i...>) {
#if defined(__wasm_simd128__)
    // Not __builtin_shufflevector: clang would make one shuffle of two that follow each other, and
    // engines have an instruction for bytes that follow each other only.
    using Lanes = signed char __attribute__((vector_size(kRegister)));
    return reinterpret_cast<Register>(__builtin_wasm_shuffle_i8x16(
        reinterpret_cast<Lanes>(low), reinterpret_cast<Lanes>(high), (from + i)...));
#else
    return __builtin_shufflevector(low, high, (from + i)...);
#endif
  }(std::make_index_sequence<kRegister>{});
}

inline bool isZero(Register bytes) {
  uint64_t words[2];
  std::memcpy(words, &bytes, sizeof words);
  return (words[0] | words[1]) == 0;
}

}  // namespace packed
