// BlockOrder: the two orders in which a grid of blocks is flattened, and the only two formulas.
//
//                 (0,0) (0,1) (0,2)      ROW_MAJOR          (0,0) (0,1) (0,2) (1,0) (1,1) (1,2)
//   2 x 3 grid    (1,0) (1,1) (1,2)      INPUT_BLOCK_MAJOR  (0,0) (1,0) (0,1) (1,1) (0,2) (1,2)
//
// A file holds ROW_MAJOR, packed kernels read INPUT_BLOCK_MAJOR. Reading one as the other gives
// finite, plausible, wrong numbers; the two coincide only when blocksPerRow == 1 or out == 1. A
// square grid is the second trap: its flattened shape is the same in both.
#pragma once

#include <cstdint>
#include <string_view>

#include "layout/block_grid.h"

namespace packed {

enum class BlockOrder : uint8_t { ROW_MAJOR, INPUT_BLOCK_MAJOR };

// Place of block (o, b) in memory, in blocks.
constexpr uint64_t flatIndex(BlockOrder order, BlockGrid grid, uint64_t o, uint64_t b) {
  return order == BlockOrder::ROW_MAJOR ? o * grid.blocksPerRow + b : b * grid.out + o;
}

// The block that stands at `flat`, the inverse of flatIndex. The grid must not be empty.
constexpr BlockAt blockAt(BlockOrder order, BlockGrid grid, uint64_t flat) {
  return order == BlockOrder::ROW_MAJOR
             ? BlockAt{flat / grid.blocksPerRow, flat % grid.blocksPerRow}
             : BlockAt{flat % grid.out, flat / grid.out};
}

// The order as strides over the grid, in blocks: the next row, the next block of the row.
struct GridStrides {
  uint64_t row = 0;
  uint64_t block = 0;

  constexpr uint64_t at(uint64_t o, uint64_t b) const { return o * row + b * block; }
  friend constexpr bool operator==(const GridStrides&, const GridStrides&) = default;
};

constexpr GridStrides stridesOf(BlockOrder order, BlockGrid grid) {
  return {flatIndex(order, grid, 1, 0), flatIndex(order, grid, 0, 1)};
}

constexpr bool ordersCoincide(BlockGrid grid) { return grid.out <= 1 || grid.blocksPerRow <= 1; }

constexpr BlockOrder otherOrder(BlockOrder order) {
  return order == BlockOrder::ROW_MAJOR ? BlockOrder::INPUT_BLOCK_MAJOR : BlockOrder::ROW_MAJOR;
}

constexpr std::string_view nameOf(BlockOrder order) {
  return order == BlockOrder::ROW_MAJOR ? "ROW_MAJOR" : "INPUT_BLOCK_MAJOR";
}

}  // namespace packed
