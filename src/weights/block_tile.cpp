#include "weights/block_tile.h"

#include "layout/joined_blocks.h"

namespace packed {
namespace {

// Or-ed together, the bits that differ in pairs of registers. Two, so that one does not wait for
// the other.
struct Differences {
  Register at[2] = {};
  bool none() const { return isZero(at[0] | at[1]); }
};

template <std::size_t size, std::size_t columns, std::size_t... i>
inline void compareRow(const uint8_t* along, const uint8_t* other, std::size_t step,
                       Differences& found, std::index_sequence<i...>) {
  using Joined = JoinedBlocks<size, columns>;
  ((found.at[i % 2] |=
    loadRegister(along + Joined::startOf(i)) ^ Joined::template at<i>(other, step)),
   ...);
}

template <std::size_t size, std::size_t columns>
bool sameColumns(TileSide along, TileSide other, std::size_t rows) {
  Differences found;
  for (; rows > 0; --rows, along.at += along.row, other.at += other.row) {
    compareRow<size, columns>(along.at, other.at, other.block, found,
                              typename JoinedBlocks<size, columns>::Every{});
  }
  return found.none();
}

// The size of a block and how many are walked side by side are constants, so that nothing is left
// to decide between one block and the next. Large blocks fill cache lines by themselves.
template <std::size_t size>
bool sameTile(TileSide along, TileSide other, std::size_t rows, std::size_t blocks) {
  constexpr std::size_t kColumns = size < 48 ? 8 : 4;
  bool same = true;
  while (same && blocks > 0) {
    const std::size_t columns = blocks >= kColumns ? kColumns : 1;
    same = columns == 1 ? sameColumns<size, 1>(along, other, rows)
                        : sameColumns<size, kColumns>(along, other, rows);
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
