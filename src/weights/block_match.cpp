#include "weights/block_match.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/cache.h"

namespace packed {
namespace {

constexpr uint64_t kTileBlocks = 8;
constexpr uint64_t kCachedRows = 512 << 10;  // bytes of them
constexpr uint64_t kStretch = 1 << 16;

// Two words side by side: one SIMD register where there is one.
using Pair = uint64_t __attribute__((vector_size(16)));

inline Pair pairAt(const uint8_t* from) {
  Pair pair;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}

struct Side {
  const uint8_t* at;
  std::size_t row;    // bytes to the next row
  std::size_t block;  // to the next block of the row
};

// Ors together how rows x blocks pairs of blocks differ. The size of a block is a constant, so that
// nothing is left to decide between one block and the next. One side has the blocks of a row side
// by side, the other is read in as many streams as columns are walked together. Small blocks need
// many of them, or each would wait for memory; large ones fill cache lines by themselves.
template <uint32_t size>
struct Tile {
  static constexpr std::size_t kColumns = size < 48 ? 8 : 4;
  static constexpr uint64_t kRows = size < 48 ? 256 : 1024;

  struct Difference {
    Pair pairs = {};
    uint64_t rest = 0;
  };

  static void compareOne(const uint8_t* a, const uint8_t* b, Difference& difference) {
    constexpr uint32_t kTail = size % 16;
    for (uint32_t at = 0; at + 16 <= size; at += 16) {
      difference.pairs |= pairAt(a + at) ^ pairAt(b + at);
    }
    if constexpr (kTail > 8) {
      difference.pairs |= pairAt(a + size - 16) ^ pairAt(b + size - 16);
    } else if constexpr (kTail > 0) {
      // Machines load more words than registers at a time.
      using Word = WordFor<kTail>;
      difference.rest |= static_cast<uint64_t>(loadLE<Word>(a + size - sizeof(Word))) ^
                         static_cast<uint64_t>(loadLE<Word>(b + size - sizeof(Word)));
    }
  }

  template <std::size_t columns>
  static uint64_t compareColumns(Side along, Side other, std::size_t rows) {
    Difference difference;
    for (; rows > 0; --rows, along.at += along.row, other.at += other.row) {
      const uint8_t* b = other.at;
      for (std::size_t i = 0; i < columns; ++i, b += other.block) {
        compareOne(along.at + i * size, b, difference);
      }
    }
    return difference.pairs[0] | difference.pairs[1] | difference.rest;
  }

  static uint64_t differenceOf(Side along, Side other, std::size_t rows, std::size_t blocks) {
    uint64_t difference = 0;
    while (blocks > 0) {
      const std::size_t columns = blocks >= kColumns ? kColumns : 1;
      difference |= columns == kColumns ? compareColumns<kColumns>(along, other, rows)
                                        : compareColumns<1>(along, other, rows);
      along.at += columns * size;
      other.at += columns * other.block;
      blocks -= columns;
    }
    return difference;
  }
};

// The tile for one size of block: null where a block is smaller than a register.
struct TileKind {
  uint64_t (*differenceOf)(Side along, Side other, std::size_t rows, std::size_t blocks) = nullptr;
  uint64_t rows = 256;
};

TileKind tileFor(uint32_t blockBytes) {
#define X(name, ggmlType, elements, bytes, group, kind)                              \
  if constexpr (bytes >= 16) {                                                       \
    if (blockBytes == bytes) return {Tile<bytes>::differenceOf, Tile<bytes>::kRows}; \
  }
#include "encoding/encodings.inc"
#undef X
  return {};
}

Side sideAt(const BlockSource& source, BlockAt from) {
  return {source.at(from.o, from.b),
          static_cast<std::size_t>(source.strides.row * source.blockBytes),
          static_cast<std::size_t>(source.strides.block * source.blockBytes)};
}

uint64_t countInTile(BlockAt from, BlockAt to, const BlockSource& along, const BlockSource& other,
                     const TileKind& tile) {
  if (tile.differenceOf && tile.differenceOf(sideAt(along, from), sideAt(other, from),
                                             static_cast<std::size_t>(to.o - from.o),
                                             static_cast<std::size_t>(to.b - from.b)) == 0) {
    return 0;
  }
  uint64_t differing = 0;
  for (uint64_t b = from.b; b < to.b; ++b) {
    for (uint64_t o = from.o; o < to.o; ++o) {
      differing += !sameBytes(along.at(o, b), other.at(o, b), along.blockBytes);
    }
  }
  return differing;
}

// sameBytes for long stretches: four registers, so that none waits for another.
bool sameStretch(const uint8_t* a, const uint8_t* b, std::size_t size) {
  Pair differences[4] = {};
  std::size_t at = 0;
  for (; at + 64 <= size; at += 64) {
    for (std::size_t i = 0; i < 4; ++i) {
      differences[i] |= pairAt(a + at + 16 * i) ^ pairAt(b + at + 16 * i);
    }
  }
  const Pair all = (differences[0] | differences[1]) | (differences[2] | differences[3]);
  return (all[0] | all[1]) == 0 && sameBytes(a + at, b + at, size - at);
}

// Both sides flattened the same way: long stretches at once.
uint64_t countInLine(uint64_t blocks, const uint8_t* one, const uint8_t* other,
                     uint32_t blockBytes) {
  uint64_t differing = 0;
  const uint64_t step = std::max<uint64_t>(1, kStretch / blockBytes);
  for (uint64_t start = 0; start < blocks; start += step) {
    const uint64_t end = std::min(blocks, start + step);
    if (sameStretch(one + start * blockBytes, other + start * blockBytes,
                    static_cast<std::size_t>((end - start) * blockBytes))) {
      continue;
    }
    for (uint64_t i = start; i < end; ++i) {
      differing += !sameBytes(one + i * blockBytes, other + i * blockBytes, blockBytes);
    }
  }
  return differing;
}

// `along` has the blocks of a row side by side, or `tile` is none.
uint64_t countInTiles(BlockGrid grid, const BlockSource& along, const BlockSource& other,
                      const TileKind& tile) {
  const uint64_t rowBytes = grid.blocksPerRow * along.blockBytes;
  const bool bring = tile.differenceOf && !rowsAreNear(rowBytes);
  const uint64_t rows = bring ? rowsInCache(kCachedRows, rowBytes, tile.rows) : tile.rows;
  uint64_t differing = 0;
  for (uint64_t o = 0; o < grid.out; o += rows) {
    const uint64_t end = std::min(grid.out, o + rows);
    for (uint64_t r = o; bring && r < end; ++r) bringIntoCache(along.at(r, 0), rowBytes);
    for (uint64_t b = 0; b < grid.blocksPerRow; b += kTileBlocks) {
      differing += countInTile({o, b}, {end, std::min(grid.blocksPerRow, b + kTileBlocks)}, along,
                               other, tile);
    }
  }
  return differing;
}

}  // namespace

uint64_t countDiffering(BlockGrid grid, const BlockSource& one, const BlockSource& other) {
  if (one.strides == other.strides) {
    for (const BlockOrder order : {BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR}) {
      if (one.strides == stridesOf(order, grid)) {
        return countInLine(grid.out * grid.blocksPerRow, one.data, other.data, one.blockBytes);
      }
    }
  }
  if (one.strides.block == 1) return countInTiles(grid, one, other, tileFor(one.blockBytes));
  if (other.strides.block == 1) return countInTiles(grid, other, one, tileFor(one.blockBytes));
  return countInTiles(grid, one, other, {});
}

bool sameWeights(Bytes one, Bytes other) {
  if (one.size() != other.size()) return false;
  for (std::size_t at = 0; at < one.size(); at += kStretch) {
    const std::size_t length = std::min<std::size_t>(kStretch, one.size() - at);
    if (!sameStretch(one.data() + at, other.data() + at, length)) return false;
  }
  return true;
}

ByteSums sumsOf(Bytes bytes) {
  ByteSums sums;
  constexpr std::size_t kChunk = 1 << 14;  // whose sums fit 32 bits
  for (std::size_t start = 0; start < bytes.size(); start += kChunk) {
    const Bytes chunk = bytes.subspan(start, std::min(kChunk, bytes.size() - start));
    uint32_t values = 0;
    uint32_t squares = 0;
    for (const uint8_t byte : chunk) {
      values += byte;
      squares += static_cast<uint32_t>(byte) * byte;
    }
    sums.values += values;
    sums.squares += squares;
  }
  return sums;
}

uint64_t findBytes(Bytes key, Bytes bytes, uint64_t from) {
  using Sixteen = uint8_t __attribute__((vector_size(16)));
  if (key.size() > bytes.size()) return bytes.size();
  const uint64_t end = bytes.size() - key.size() + 1;
  const auto standsAt = [&](uint64_t at) {
    return bytes[at] == key[0] && sameBytes(bytes.data() + at, key.data(), key.size());
  };
  // Sixteen places at once, by their first and their last byte.
  const Sixteen first = Sixteen{} + key.front();
  const Sixteen last = Sixteen{} + key.back();
  for (; from + 16 <= end; from += 16) {
    Sixteen starts, ends;
    std::memcpy(&starts, bytes.data() + from, 16);
    std::memcpy(&ends, bytes.data() + from + key.size() - 1, 16);
    const auto both = (starts == first) & (ends == last);
    Pair any;
    std::memcpy(&any, &both, 16);
    if ((any[0] | any[1]) == 0) continue;
    for (uint64_t at = from; at < from + 16; ++at) {
      if (standsAt(at)) return at;
    }
  }
  for (; from < end; ++from) {
    if (standsAt(from)) return from;
  }
  return bytes.size();
}

BlockPlaces placesOf(const uint8_t* block, BlockGrid grid, BlockOrder order, const uint8_t* source,
                     uint32_t blockBytes) {
  BlockPlaces places;
  const uint64_t blocks = grid.out * grid.blocksPerRow;
  for (uint64_t flat = 0; flat < blocks; ++flat) {
    if (!sameBytes(block, source + flat * blockBytes, blockBytes)) continue;
    if (places.first.size() < BlockPlaces::kListed)
      places.first.push_back(blockAt(order, grid, flat));
    ++places.count;
  }
  return places;
}

}  // namespace packed
