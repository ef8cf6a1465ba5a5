#include "layout/permutation.h"

#include <algorithm>
#include <utility>

#include "base/cache.h"
#include "layout/permutation_tile.h"

namespace packed {
namespace {

constexpr uint64_t kCachedRows = 256 << 10;  // bytes of them, beside those they become

}  // namespace

void permuteBlocks(BlockGrid grid, uint32_t blockBytes, const uint8_t* from,
                   GridStrides fromStrides, uint8_t* to, GridStrides toStrides) {
  // Tiles like one side to have the blocks of a row side by side; of a column will do as well.
  if (fromStrides.block != 1 && toStrides.block != 1) {
    std::swap(grid.out, grid.blocksPerRow);
    std::swap(fromStrides.row, fromStrides.block);
    std::swap(toStrides.row, toStrides.block);
  }
  const auto bytes = [&](uint64_t blocks) { return static_cast<std::size_t>(blocks * blockBytes); };
  const BandSteps fromSteps = {bytes(fromStrides.row), bytes(fromStrides.block)};
  const BandSteps toSteps = {bytes(toStrides.row), bytes(toStrides.block)};
  const PermutationTile tile = permutationTile(blockBytes, toSteps);
  const uint64_t rest = grid.blocksPerRow % tile.columns;
  const uint64_t rowBytes = bytes(grid.blocksPerRow);
  const bool bring = tile.bringsRows && !rowsAreNear(rowBytes);
  const uint64_t step = bring ? rowsInCache(kCachedRows, rowBytes, tile.rows) : tile.rows;
  for (uint64_t o = 0; o < grid.out; o += step) {
    const auto rows = static_cast<std::size_t>(std::min(step, grid.out - o));
    for (uint64_t r = o; bring && r < o + rows; ++r) {
      bringIntoCache(fromStrides.block == 1 ? from + bytes(fromStrides.at(r, 0))
                                            : to + bytes(toStrides.at(r, 0)),
                     rowBytes);
    }
    uint64_t b = 0;
    for (; b + rest < grid.blocksPerRow; b += tile.columns) {
      tile.copy(to + bytes(toStrides.at(o, b)), toSteps, from + bytes(fromStrides.at(o, b)),
                fromSteps, rows, blockBytes);
    }
    copyRest(to + bytes(toStrides.at(o, b)), toSteps, from + bytes(fromStrides.at(o, b)), fromSteps,
             rows, static_cast<std::size_t>(rest), blockBytes);
  }
}

}  // namespace packed
