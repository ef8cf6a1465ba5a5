// Blocks that lie apart, read as if they lay side by side: sixteen bytes at a time, joined from the
// end of one block and the beginning of the next where a register spans two.
//
// A block is rarely a whole number of registers. Moved or compared one by one, blocks of 18 bytes
// take two loads and two stores each; joined, eight of them take sixteen loads and nine stores, and
// those of the joined side cross no cache line when it starts with one. Where each of these blocks
// is the first of a few that lie side by side (a column of rows, in kernel order), those are read in
// whole registers too: four blocks of 18 bytes in six loads instead of eight.
#pragma once

#include <utility>

#include "base/register.h"

namespace packed {

// Registers of `count` blocks of `size` (16 at least) bytes, each the first of `rows` side by side.
// The last register overlaps the one before where the bytes are no whole number of them.
template <std::size_t size, std::size_t count, std::size_t rows = 1>
struct JoinedBlocks {
  static_assert(size >= kRegister);
  static constexpr std::size_t kBytes = size * count;
  static constexpr std::size_t kRegisters = registersOf(kBytes);
  using Every = std::make_index_sequence<kRegisters>;

  // Where register i starts among the bytes.
  static constexpr std::size_t startOf(std::size_t i) {
    return (i + 1) * kRegister <= kBytes ? i * kRegister : kBytes - kRegister;
  }

  // Register i of row `row`, of blocks that start `step` bytes apart.
  template <std::size_t i, std::size_t row = 0>
  static Register at(const uint8_t* first, std::size_t step) {
    constexpr std::size_t kStart = row * size;
    constexpr std::size_t kOffset = startOf(i) % size;
    const uint8_t* column = first + startOf(i) / size * step;
    if constexpr (kOffset + kRegister <= size) {
      return inColumn<kStart + kOffset>(column);
    } else {
      return spanning<kRegister - (size - kOffset)>(inColumn<kStart + size - kRegister>(column),
                                                    inColumn<kStart>(column + step));
    }
  }

 private:
  // Sixteen bytes from byte `from` of a column: of two registers that others have loaded already,
  // where its rows fill both.
  template <std::size_t from>
  static Register inColumn(const uint8_t* column) {
    constexpr std::size_t kWhole = from / kRegister * kRegister;
    constexpr bool kLoadedAlready = rows > 1 && kWhole + 2 * kRegister <= rows * size;
    if constexpr (kLoadedAlready && from != kWhole) {
      return spanning<from - kWhole>(loadRegister(column + kWhole),
                                     loadRegister(column + kWhole + kRegister));
    } else {
      return loadRegister(column + from);
    }
  }
};

}  // namespace packed
