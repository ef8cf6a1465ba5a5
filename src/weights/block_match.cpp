#include "weights/block_match.h"

#include <algorithm>
#include <cstring>

#include "base/cache.h"
#include "base/faster_way.h"
#include "base/register.h"
#include "weights/block_tile.h"

namespace packed {
namespace {

constexpr uint64_t kTileBlocks = 8;
constexpr uint64_t kTileRows = 1024;
constexpr uint64_t kBroughtRows = 64;
constexpr uint64_t kCachedRows = 512 << 10;  // bytes of them
constexpr uint64_t kCachedWeight = 8 << 20;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kStretch = 1 << 16;

// Weights that a last-level cache holds both of are near enough where a page holds two rows.
bool isCached(uint64_t weightBytes, uint64_t rowBytes) {
  return weightBytes < kCachedWeight && rowBytes < kPage / 2;
}

TileSide sideAt(const BlockSource& source, BlockAt from) {
  return {source.at(from.o, from.b),
          static_cast<std::size_t>(source.strides.row * source.blockBytes),
          static_cast<std::size_t>(source.strides.block * source.blockBytes)};
}

uint64_t countInTile(BlockAt from, BlockAt to, const BlockSource& along, const BlockSource& other,
                     SameTile same) {
  if (same &&
      same(sideAt(along, from), sideAt(other, from), static_cast<std::size_t>(to.o - from.o),
           static_cast<std::size_t>(to.b - from.b))) {
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
  Register differences[4] = {};
  std::size_t at = 0;
  for (; at + 64 <= size; at += 64) {
    for (std::size_t i = 0; i < 4; ++i) {
      differences[i] |= loadRegister(a + at + 16 * i) ^ loadRegister(b + at + 16 * i);
    }
  }
  const Register all = (differences[0] | differences[1]) | (differences[2] | differences[3]);
  return isZero(all) && sameBytes(a + at, b + at, size - at);
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

uint64_t countInRows(uint64_t from, uint64_t to, uint64_t blocksPerRow, const BlockSource& along,
                     const BlockSource& other, SameTile same) {
  uint64_t differing = 0;
  for (uint64_t b = 0; b < blocksPerRow; b += kTileBlocks) {
    differing +=
        countInTile({from, b}, {to, std::min(blocksPerRow, b + kTileBlocks)}, along, other, same);
  }
  return differing;
}

// `along` has the blocks of a row side by side, or `same` is none.
uint64_t countInTiles(BlockGrid grid, const BlockSource& along, const BlockSource& other,
                      SameTile same) {
  thread_local FasterWays bringing;
  const uint64_t rowBytes = grid.blocksPerRow * along.blockBytes;
  const bool mayBring = same && !rowsAreNear(rowBytes) && !isCached(grid.out * rowBytes, rowBytes);
  uint64_t differing = 0;
  bringing.forWeight(grid.out * rowBytes)
      .walk(grid.out, rowBytes, mayBring, [&](uint64_t from, uint64_t end, bool bring) {
        const uint64_t rows = bring ? rowsInCache(kCachedRows, rowBytes, kBroughtRows) : kTileRows;
        for (uint64_t o = from; o < end; o += rows) {
          const uint64_t last = std::min(end, o + rows);
          for (uint64_t r = o; bring && r < last; ++r) bringIntoCache(along.at(r, 0), rowBytes);
          differing += countInRows(o, last, grid.blocksPerRow, along, other, same);
        }
      });
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
  if (one.strides.block == 1) return countInTiles(grid, one, other, sameTileFor(one.blockBytes));
  if (other.strides.block == 1) return countInTiles(grid, other, one, sameTileFor(one.blockBytes));
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
