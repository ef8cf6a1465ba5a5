#include "weights/block_tile.h"

#include <cstring>
#include <utility>

namespace packed {
namespace {

constexpr std::size_t kRegister = 16;
using Register = uint8_t __attribute__((vector_size(kRegister)));

template <std::size_t... i>
using Indices = std::index_sequence<i...>;

inline Register loaded(const uint8_t* from) {
  Register bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

// Sixteen bytes from byte `at` of `low`, which `high` follows.
template <std::size_t at, std::size_t... i>
inline Register joined(Register low, Register high, Indices<i...>) {
  return __builtin_shufflevector(low, high, (at + i)...);
}

// Or-ed together, what pairs of bytes have of different bits. Two, so that one does not wait for
// the other.
struct Differences {
  Register at[2] = {};
  bool none() const {
    uint64_t words[2];
    const Register both = at[0] | at[1];
    std::memcpy(words, &both, sizeof words);
    return (words[0] | words[1]) == 0;
  }
};

// The size of a block and how many are walked side by side are constants, so that nothing is left
// to decide between one block and the next. Small blocks need many, or their registers would cross
// one another; large ones fill cache lines by themselves.
template <std::size_t size, std::size_t columns>
struct Columns {
  static constexpr std::size_t kBytes = size * columns;
  static constexpr std::size_t kRegisters = (kBytes + kRegister - 1) / kRegister;

  // Where a register starts in the row: the last one overlaps the one before.
  static constexpr std::size_t startOf(std::size_t i) {
    return i * kRegister + kRegister <= kBytes ? i * kRegister : kBytes - kRegister;
  }

  // The same bytes of the side whose blocks lie apart.
  template <std::size_t start>
  static Register apart(const uint8_t* row, std::size_t block) {
    constexpr std::size_t kOffset = start % size;
    const uint8_t* from = row + start / size * block;
    if constexpr (kOffset + kRegister <= size) {
      return loaded(from + kOffset);
    } else {
      return joined<kRegister - (size - kOffset)>(loaded(from + size - kRegister),
                                                  loaded(from + block),
                                                  std::make_index_sequence<kRegister>{});
    }
  }

  template <std::size_t... i>
  static void compareRow(const uint8_t* along, const uint8_t* other, std::size_t block,
                         Differences& found, Indices<i...>) {
    ((found.at[i % 2] |= loaded(along + startOf(i)) ^ apart<startOf(i)>(other, block)), ...);
  }

  static bool same(TileSide along, TileSide other, std::size_t rows) {
    Differences found;
    for (; rows > 0; --rows, along.at += along.row, other.at += other.row) {
      compareRow(along.at, other.at, other.block, found, std::make_index_sequence<kRegisters>{});
    }
    return found.none();
  }
};

template <std::size_t size>
bool sameTile(TileSide along, TileSide other, std::size_t rows, std::size_t blocks) {
  constexpr std::size_t kColumns = size < 48 ? 8 : 4;
  bool same = true;
  while (same && blocks > 0) {
    const std::size_t columns = blocks >= kColumns ? kColumns : 1;
    same = columns == 1 ? Columns<size, 1>::same(along, other, rows)
                        : Columns<size, kColumns>::same(along, other, rows);
    along.at += columns * size;
    other.at += columns * other.block;
    blocks -= columns;
  }
  return same;
}

}  // namespace

SameTile sameTileFor(uint32_t blockBytes) {
#define X(name, ggmlType, elements, bytes, group, kind) \
  if constexpr (bytes >= kRegister) {                   \
    if (blockBytes == bytes) return sameTile<bytes>;    \
  }
#include "encoding/encodings.inc"
#undef X
  return nullptr;
}

}  // namespace packed
