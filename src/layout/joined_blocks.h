// Blocks that lie apart, read as if they lay side by side: sixteen bytes at a time, joined from the
// end of one block and the beginning of the next where a register spans two.
//
// A block is rarely a whole number of registers. Moved or compared one by one, blocks of 18 bytes
// take two loads and two stores each; joined, eight of them take sixteen loads and nine stores, and
// those of the joined side cross no cache line when it starts with one.
#pragma once

#include <utility>

#include "base/register.h"

namespace packed {

// Registers of `count` blocks of `size` (16 at least) bytes. The last one overlaps the one before
// where the bytes are no whole number of them.
template <std::size_t size, std::size_t count>
struct JoinedBlocks {
  static_assert(size >= kRegister);
  static constexpr std::size_t kBytes = size * count;
  static constexpr std::size_t kRegisters = (kBytes + kRegister - 1) / kRegister;
  using Every = std::make_index_sequence<kRegisters>;

  // Where register i starts among the bytes.
  static constexpr std::size_t startOf(std::size_t i) {
    return (i + 1) * kRegister <= kBytes ? i * kRegister : kBytes - kRegister;
  }

  // Register i of blocks that start `step` bytes apart.
  template <std::size_t i>
  static Register at(const uint8_t* first, std::size_t step) {
    constexpr std::size_t kOffset = startOf(i) % size;
    const uint8_t* block = first + startOf(i) / size * step;
    if constexpr (kOffset + kRegister <= size) {
      return loadRegister(block + kOffset);
    } else {
      return shifted<kRegister - (size - kOffset)>(loadRegister(block + size - kRegister),
                                                   loadRegister(block + step),
                                                   std::make_index_sequence<kRegister>{});
    }
  }

 private:
  // Sixteen bytes from byte `from` of `low`, which `high` follows.
  template <std::size_t from, std::size_t... i>
  static Register shifted(Register low, Register high, std::index_sequence<i...>) {
    return __builtin_shufflevector(low, high, (from + i)...);
  }
};

}  // namespace packed
