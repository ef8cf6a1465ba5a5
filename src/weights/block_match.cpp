#include "weights/block_match.h"

#include <algorithm>

namespace packed {
namespace {

// As in the relayout: lines of both sides stay in the first-level cache within a tile.
constexpr uint64_t kTileRows = 64;
constexpr uint64_t kTileBlocks = 16;
constexpr uint64_t kStretch = 1 << 16;

uint64_t countInTile(BlockAt from, BlockAt to, const BlockSource& one, const BlockSource& other) {
  uint64_t difference = 0;
  for (uint64_t b = from.b; b < to.b; ++b) {
    for (uint64_t o = from.o; o < to.o; ++o) {
      difference |= differenceOf(one.at(o, b), other.at(o, b), one.blockBytes);
    }
  }
  if (difference == 0) return 0;
  uint64_t differing = 0;
  for (uint64_t b = from.b; b < to.b; ++b) {
    for (uint64_t o = from.o; o < to.o; ++o) {
      differing += !sameBytes(one.at(o, b), other.at(o, b), one.blockBytes);
    }
  }
  return differing;
}

// Both sides flattened the same way: long stretches at once.
uint64_t countInLine(uint64_t blocks, const uint8_t* one, const uint8_t* other,
                     uint32_t blockBytes) {
  uint64_t differing = 0;
  const uint64_t step = std::max<uint64_t>(1, kStretch / blockBytes);
  for (uint64_t start = 0; start < blocks; start += step) {
    const uint64_t end = std::min(blocks, start + step);
    if (sameBytes(one + start * blockBytes, other + start * blockBytes,
                  (end - start) * blockBytes)) {
      continue;
    }
    for (uint64_t i = start; i < end; ++i) {
      differing += !sameBytes(one + i * blockBytes, other + i * blockBytes, blockBytes);
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
  uint64_t differing = 0;
  for (uint64_t o = 0; o < grid.out; o += kTileRows) {
    for (uint64_t b = 0; b < grid.blocksPerRow; b += kTileBlocks) {
      const BlockAt end{std::min(grid.out, o + kTileRows),
                        std::min(grid.blocksPerRow, b + kTileBlocks)};
      differing += countInTile({o, b}, end, one, other);
    }
  }
  return differing;
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
