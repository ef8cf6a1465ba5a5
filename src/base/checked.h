// 64-bit sizes with checked arithmetic. Sizes and counts come from files and from callers: a
// product that wraps passes every later comparison, so it must never be made.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace packed {

// a * b, a + b: nothing when the result does not fit 64 bits.
constexpr std::optional<uint64_t> checkedMul(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

constexpr std::optional<uint64_t> checkedAdd(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// The product of several factors: checkedProduct(rows, blocksPerRow, bytes).
template <std::convertible_to<uint64_t>... More>
constexpr std::optional<uint64_t> checkedProduct(uint64_t first, More... more) {
  std::optional<uint64_t> product = first;
  ((product = product ? checkedMul(*product, static_cast<uint64_t>(more)) : std::nullopt), ...);
  return product;
}

// The smallest multiple of `alignment` (not zero) at or above `value`.
constexpr std::optional<uint64_t> checkedAlignUp(uint64_t value, uint64_t alignment) {
  const uint64_t excess = value % alignment;
  return excess == 0 ? std::optional(value) : checkedAdd(value, alignment - excess);
}

// Whether `size` bytes can be addressed here at all (wasm32: below 4 GiB).
constexpr bool fitsAddressSpace(uint64_t size) {
  return size <= static_cast<uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) ||
         (sizeof(std::size_t) == 4 && size <= std::numeric_limits<std::size_t>::max());
}

}  // namespace packed
