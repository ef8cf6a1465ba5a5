#include "layout/permutation.h"

#include <algorithm>
#include <utility>

#include "base/cache.h"
#include "base/faster_way.h"
#include "layout/permutation_tile.h"

namespace packed {
namespace {

constexpr uint64_t kRows = 1024;    // that a band is walked at most before the next one
constexpr uint64_t kFewRows = 256;  // that are brought before, or of large blocks moved at once
constexpr uint64_t kCachedRows = 256 << 10;  // bytes of them, beside those they become

struct Permutation {
  BlockGrid grid;
  uint32_t blockBytes;
  const uint8_t* from;
  GridStrides fromStrides;
  uint8_t* to;
  GridStrides toStrides;

  std::size_t bytes(uint64_t blocks) const { return static_cast<std::size_t>(blocks * blockBytes); }
  const uint8_t* fromAt(uint64_t o, uint64_t b) const { return from + bytes(fromStrides.at(o, b)); }
  uint8_t* toAt(uint64_t o, uint64_t b) const { return to + bytes(toStrides.at(o, b)); }
  BandSteps fromSteps() const { return {bytes(fromStrides.row), bytes(fromStrides.block)}; }
  BandSteps toSteps() const { return {bytes(toStrides.row), bytes(toStrides.block)}; }

  // Where the blocks of a row lie side by side.
  void bringRow(uint64_t o) const {
    bringIntoCache(fromStrides.block == 1 ? fromAt(o, 0) : toAt(o, 0), bytes(grid.blocksPerRow));
  }

  void copyRows(uint64_t columns, BandCopy copy, uint64_t o, uint64_t end) const {
    const auto rows = static_cast<std::size_t>(end - o);
    const uint64_t rest = grid.blocksPerRow % columns;
    uint64_t b = 0;
    for (; b + rest < grid.blocksPerRow; b += columns) {
      copy(toAt(o, b), toSteps(), fromAt(o, b), fromSteps(), rows, blockBytes);
    }
    copyRest(toAt(o, b), toSteps(), fromAt(o, b), fromSteps(), rows, static_cast<std::size_t>(rest),
             blockBytes);
  }
};

}  // namespace

void permuteBlocks(BlockGrid grid, uint32_t blockBytes, const uint8_t* from,
                   GridStrides fromStrides, uint8_t* to, GridStrides toStrides) {
  // Tiles like one side to have the blocks of a row side by side; of a column will do as well.
  if (fromStrides.block != 1 && toStrides.block != 1) {
    std::swap(grid.out, grid.blocksPerRow);
    std::swap(fromStrides.row, fromStrides.block);
    std::swap(toStrides.row, toStrides.block);
  }
  const Permutation all = {grid, blockBytes, from, fromStrides, to, toStrides};
  const PermutationTile tile = permutationTile(blockBytes, all.toSteps());
  const uint64_t rowBytes = all.bytes(grid.blocksPerRow);
  const bool near = rowsAreNear(rowBytes);
  // Timed apart: reading rows, writing rows and the way by bands of large blocks, each of which has a
  // faster way of its own.
  thread_local FasterWays bringingFrom, bringingTo, takingBands;
  FasterWays& ways = tile.otherCopy           ? takingBands
                     : fromStrides.block == 1 ? bringingFrom
                                              : bringingTo;
  FasterWay& way = ways.forWeight(grid.out * rowBytes);
  way.walk(grid.out, rowBytes, !near && (tile.mayBringRows || tile.otherCopy),
           [&](uint64_t first, uint64_t end, bool second) {
             const bool bring = second && tile.mayBringRows;
             const BandCopy copy = second && tile.otherCopy ? tile.otherCopy : tile.copy;
             const uint64_t rows = bring    ? rowsInCache(kCachedRows, rowBytes, kFewRows)
                                   : second ? kFewRows
                                            : kRows;
             for (uint64_t o = first; o < end; o += rows) {
               const uint64_t last = std::min(end, o + rows);
               for (uint64_t r = o; bring && r < last; ++r) all.bringRow(r);
               all.copyRows(tile.columns, copy, o, last);
             }
           });
}

}  // namespace packed
