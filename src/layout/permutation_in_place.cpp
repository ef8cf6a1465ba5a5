#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/allocate.h"
#include "base/move_bytes.h"
#include "layout/permutation.h"
#include "layout/permutation_size.h"
#include "layout/permutation_tile.h"

namespace packed {
namespace {

// Rows whose blocks move together, as one longer block: fewer moves across the whole grid, whose
// price is the caches that they miss. At most a 128th of the grid is held meanwhile.
uint64_t rowsTogether(BlockGrid grid) {
  const uint64_t most = std::clamp<uint64_t>(grid.out / 128, 1, 32);
  for (uint64_t rows = most; 2 * rows > most; --rows) {
    if (grid.out % rows == 0) return rows;
  }
  return most;
}

// The grid as it is reordered: bands of `rows` rows, and the rows that are left at its end.
struct Bands {
  BlockGrid grid;
  uint32_t blockBytes;
  uint64_t rows = rowsTogether(grid);
  uint64_t bands = grid.out / rows;
  uint64_t rest = grid.out % rows;

  std::size_t bytes(uint64_t blocks) const { return static_cast<std::size_t>(blocks * blockBytes); }
  BlockGrid band() const { return {rows, grid.blocksPerRow}; }
  BlockGrid restGrid() const { return {rest, grid.blocksPerRow}; }
  // Blocks of all bands; of one column.
  uint64_t whole() const { return bands * rows * grid.blocksPerRow; }
  uint64_t column() const { return bands * rows; }
  uint64_t bitsSize() const { return bands * grid.blocksPerRow / 8 + 1; }
  uint64_t heldSize() const { return bytes(rows > 1 ? rows * grid.blocksPerRow : 1); }
};

// A gap-free grid from one order to the other.
void reorder(BlockGrid grid, uint32_t blockBytes, const uint8_t* source, BlockOrder from,
             uint8_t* target, BlockOrder to) {
  permuteBlocks(grid, blockBytes, source, stridesOf(from, grid), target, stridesOf(to, grid));
}

// Reorders one grid. Each cycle of the permutation is walked once: the block that belongs at
// `place` is fetched there, which frees its own place for the next one. `moved` has a zero bit per
// block, `held` room for one.
void walkCycles(BlockGrid grid, uint32_t blockBytes, uint8_t* bytes, BlockOrder from, BlockOrder to,
                uint8_t* moved, uint8_t* held) {
  // The grid is in memory, so its indices fit a machine word, whose division is several times as
  // fast. Along a line of `to` the source goes by the other order's step.
  const bool rows = to == BlockOrder::ROW_MAJOR;
  const auto line = static_cast<std::size_t>(rows ? grid.blocksPerRow : grid.out);
  const GridStrides source = stridesOf(from, grid);
  const auto alongLine = static_cast<std::size_t>(rows ? source.block : source.row);
  const auto toNextLine = static_cast<std::size_t>(rows ? source.row : source.block);
  const auto blocks = static_cast<std::size_t>(grid.out * grid.blocksPerRow);
  for (std::size_t start = 0; start < blocks; ++start) {
    if (moved[start / 8] >> (start % 8) & 1) continue;
    std::memcpy(held, bytes + start * blockBytes, blockBytes);
    std::size_t place = start;
    for (;;) {
      moved[place / 8] = static_cast<uint8_t>(moved[place / 8] | 1u << (place % 8));
      const std::size_t next = place / line * toNextLine + place % line * alongLine;
      if (next == start) break;
      copyBlock(bytes + place * blockBytes, bytes + next * blockBytes, blockBytes);
      place = next;
    }
    std::memcpy(bytes + place * blockBytes, held, blockBytes);
  }
}

// Reorders each band by itself, through `held`.
void permuteBands(const Bands& b, uint8_t* bytes, BlockOrder from, BlockOrder to, uint8_t* held) {
  if (b.rows == 1) return;
  const std::size_t size = b.bytes(b.rows * b.grid.blocksPerRow);
  for (uint64_t band = 0; band < b.bands; ++band, bytes += size) {
    std::memcpy(held, bytes, size);
    reorder(b.band(), b.blockBytes, held, from, bytes, to);
  }
}

// The rows left at the end, to the ends of columns that move apart for them.
void spreadRest(const Bands& b, uint8_t* bytes, uint8_t* held) {
  if (b.rest == 0) return;
  reorder(b.restGrid(), b.blockBytes, bytes + b.bytes(b.whole()), BlockOrder::ROW_MAJOR, held,
          BlockOrder::INPUT_BLOCK_MAJOR);
  for (uint64_t c = b.grid.blocksPerRow; c-- > 0;) {
    uint8_t* column = bytes + b.bytes(c * b.grid.out);
    moveBytes(column, bytes + b.bytes(c * b.column()), b.bytes(b.column()));
    std::memcpy(column + b.bytes(b.column()), held + b.bytes(c * b.rest), b.bytes(b.rest));
  }
}

// The other way: columns close up, and what stood at their ends comes behind the last, still by
// columns.
void gatherRest(const Bands& b, uint8_t* bytes, uint8_t* held) {
  if (b.rest == 0) return;
  for (uint64_t c = 0; c < b.grid.blocksPerRow; ++c) {
    const uint8_t* column = bytes + b.bytes(c * b.grid.out);
    std::memcpy(held + b.bytes(c * b.rest), column + b.bytes(b.column()), b.bytes(b.rest));
    moveBytes(bytes + b.bytes(c * b.column()), column, b.bytes(b.column()));
  }
  std::memcpy(bytes + b.bytes(b.whole()), held, b.bytes(b.rest * b.grid.blocksPerRow));
}

void permuteRest(const Bands& b, uint8_t* bytes, uint8_t* held) {
  if (b.rest == 0) return;
  uint8_t* rest = bytes + b.bytes(b.whole());
  std::memcpy(held, rest, b.bytes(b.rest * b.grid.blocksPerRow));
  reorder(b.restGrid(), b.blockBytes, held, BlockOrder::INPUT_BLOCK_MAJOR, rest,
          BlockOrder::ROW_MAJOR);
}

void permuteSlice(const Bands& b, uint8_t* bytes, BlockOrder from, BlockOrder to, uint8_t* moved,
                  uint8_t* held) {
  const BlockGrid bands = {b.bands, b.grid.blocksPerRow};
  const auto together = static_cast<uint32_t>(b.bytes(b.rows));
  std::memset(moved, 0, static_cast<std::size_t>(b.bitsSize()));
  if (to == BlockOrder::INPUT_BLOCK_MAJOR) {
    permuteBands(b, bytes, from, to, held);
    walkCycles(bands, together, bytes, from, to, moved, held);
    spreadRest(b, bytes, held);
  } else {
    gatherRest(b, bytes, held);
    walkCycles(bands, together, bytes, from, to, moved, held);
    permuteBands(b, bytes, from, to, held);
    permuteRest(b, bytes, held);
  }
}

}  // namespace

uint64_t inPlaceScratchBytes(BlockGrid grid, uint32_t blockBytes) {
  const Bands bands = {grid, blockBytes};
  return bands.bitsSize() + bands.heldSize();
}

Status permuteBlocksInPlace(BlockGrid grid, uint32_t blockBytes, MutableBytes bytes,
                            BlockOrder from, BlockOrder to, uint64_t slices) {
  if (!fits(grid, blockBytes, slices, bytes.size())) {
    return wrongSize(grid, blockBytes, slices, bytes.size());
  }
  if (from == to || ordersCoincide(grid)) return Done{};
  const Bands bands = {grid, blockBytes};
  const uint64_t scratchBytes = inPlaceScratchBytes(grid, blockBytes);
  const std::unique_ptr<uint8_t, decltype(&std::free)> scratch(allocateLines(scratchBytes),
                                                               &std::free);
  if (!scratch) {
    return refuse(ErrorCode::OUT_OF_MEMORY, "no memory for the ", scratchBytes,
                  " bytes that an in-place relayout works in");
  }
  const std::size_t size = bands.bytes(grid.out * grid.blocksPerRow);
  for (uint64_t s = 0; s < slices; ++s) {
    // What is held comes first: copies to the beginning of a cache line are the fastest.
    permuteSlice(bands, bytes.data() + s * size, from, to, scratch.get() + bands.heldSize(),
                 scratch.get());
  }
  return Done{};
}

}  // namespace packed
