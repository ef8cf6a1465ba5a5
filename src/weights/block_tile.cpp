#include "weights/block_tile.h"

#include <algorithm>

#include "base/cache.h"
#include "base/loops.h"
#include "layout/joined_blocks.h"
#include "weights/block_match.h"

namespace packed {
namespace {

// Or-ed together, the bits that differ in pairs of registers. Two, so that one does not wait for
// the other.
struct Differences {
  Register at[2] = {};
  bool none() const { return isZero(at[0] | at[1]); }
};

TileSide movedBy(TileSide side, std::size_t rows, std::size_t blocks) {
  side.at += rows * side.row + blocks * side.block;
  return side;
}

struct Span {
  std::size_t from, to;
};

// What is left beside whole groups and below whole rows.
bool sameOneByOne(TileSide along, TileSide other, Span rows, Span blocks) {
  for (std::size_t b = blocks.from; b < blocks.to; ++b) {
    for (std::size_t r = rows.from; r < rows.to; ++r) {
      if (!sameBytes(movedBy(along, r, b).at, movedBy(other, r, b).at, along.block)) return false;
    }
  }
  return true;
}

// How blocks of up to four registers are walked: columns joined, rows of them at once, and how
// many such groups before the next rows. Constants, so that nothing is left to decide between one
// block and the next. Measured: the smaller the block, the more is gained by whole registers.
struct Walk {
  std::size_t columns, rows, groups;
};
constexpr Walk walkOf(std::size_t size) {
  if (size < 2 * kRegister) return {4, 4, 2};
  return size < 3 * kRegister ? Walk{8, 1, 1} : Walk{4, 1, 1};
}

template <std::size_t size, std::size_t row, std::size_t... i>
inline void compareRow(const uint8_t* along, TileSide other, Differences& found,
                       std::index_sequence<i...>) {
  constexpr Walk kWalk = walkOf(size);
  using Joined = JoinedBlocks<size, kWalk.columns, kWalk.rows>;
  ((found.at[(kWalk.rows > 1 ? row : i) % 2] |=
    loadRegister(along + Joined::startOf(i)) ^ Joined::template at<i, row>(other.at, other.block)),
   ...);
}

template <std::size_t size, std::size_t... row>
inline void compareRows(TileSide along, TileSide other, Differences& found,
                        std::index_sequence<row...>) {
  using Every = typename JoinedBlocks<size, walkOf(size).columns>::Every;
  (compareRow<size, row>(along.at + row * along.row, other, found, Every{}), ...);
}

template <std::size_t size>
bool sameGroups(TileSide along, TileSide other, std::size_t rows, std::size_t groups) {
  constexpr Walk kWalk = walkOf(size);
  Differences found;
  for (; rows >= kWalk.rows; rows -= kWalk.rows) {
    // The next rows, each in lines of its own, while these are compared.
    if (kWalk.rows > 1 && groups == kWalk.groups && rows >= 2 * kWalk.rows) {
      constexpr std::size_t kBytes = kWalk.groups * kWalk.columns * size;
      PACKED_UNROLL
      for (std::size_t r = kWalk.rows; r < 2 * kWalk.rows; ++r) {
        bringIntoCache(along.at + r * along.row, kBytes);
      }
    }
    TileSide a = along;
    TileSide o = other;
    PACKED_ROLLED
    for (std::size_t g = groups; g > 0; --g) {
      compareRows<size>(a, o, found, std::make_index_sequence<kWalk.rows>{});
      a = movedBy(a, 0, kWalk.columns);
      o = movedBy(o, 0, kWalk.columns);
    }
    along = movedBy(along, kWalk.rows, 0);
    other = movedBy(other, kWalk.rows, 0);
  }
  return found.none();
}

template <std::size_t size>
bool sameSmall(TileSide along, TileSide other, std::size_t rows, std::size_t blocks) {
  constexpr Walk kWalk = walkOf(size);
  const bool together = kWalk.rows == 1 || other.row == size;
  const std::size_t wholeRows = together ? rows - rows % kWalk.rows : 0;
  std::size_t b = 0;
  bool same = true;
  while (same && b + kWalk.columns <= blocks) {
    const std::size_t groups = std::min(kWalk.groups, (blocks - b) / kWalk.columns);
    same = sameGroups<size>({along.at + b * size, along.row, size}, movedBy(other, 0, b), wholeRows,
                            groups);
    b += groups * kWalk.columns;
  }
  return same && sameOneByOne(along, other, {wholeRows, rows}, {0, b}) &&
         sameOneByOne(along, other, {0, rows}, {b, blocks});
}

template <std::size_t... i>
inline void compareBlock(const uint8_t* a, const uint8_t* b, std::size_t size, Differences& found,
                         std::index_sequence<i...>) {
  ((found.at[i % 2] |= loadRegister(a + i * kRegister) ^ loadRegister(b + i * kRegister)), ...);
  const std::size_t last = size - kRegister;
  found.at[sizeof...(i) % 2] |= loadRegister(a + last) ^ loadRegister(b + last);
}

template <std::size_t registers, std::size_t... column>
bool sameColumns(TileSide along, TileSide other, std::size_t rows, std::index_sequence<column...>) {
  Differences found;
  for (std::size_t r = rows; r > 0; --r, along.at += along.row, other.at += other.row) {
    (compareBlock(along.at + column * along.block, other.at + column * other.block, along.block,
                  found, std::make_index_sequence<registers - 1>{}),
     ...);
  }
  return found.none();
}

// Larger blocks, that take so many registers: the last overlaps the one before. A few columns go
// down the rows together, each with loads of its own: a machine that sees a load go on in equal
// steps fetches ahead of it.
template <std::size_t registers>
bool sameLarge(TileSide along, TileSide other, std::size_t rows, std::size_t blocks) {
  constexpr std::size_t kColumns = registers < 10 ? 4 : 2;
  const std::size_t whole = blocks - blocks % kColumns;
  for (std::size_t b = 0; b < whole; b += kColumns) {
    if (!sameColumns<registers>(movedBy(along, 0, b), movedBy(other, 0, b), rows,
                                std::make_index_sequence<kColumns>{})) {
      return false;
    }
  }
  return sameOneByOne(along, other, {0, rows}, {whole, blocks});
}

template <std::size_t size>
constexpr SameTile sameTile() {
  if constexpr (size < kRegister) {
    return nullptr;
  } else if constexpr (size < 4 * kRegister) {
    return &sameSmall<size>;
  } else {
    return &sameLarge<registersOf(size)>;
  }
}

}  // namespace

SameTile sameTileFor(uint32_t blockBytes) {
#define X(name, ggmlType, elements, bytes, group, kind) \
  if (blockBytes == bytes) return sameTile<bytes>();
#include "encoding/encodings.inc"
#undef X
  return nullptr;
}

}  // namespace packed
