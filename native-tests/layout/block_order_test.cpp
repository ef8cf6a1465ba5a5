#include "layout/block_order.h"

#include <doctest/doctest.h>

#include <vector>

namespace packed {
namespace {

// The blocks in the sequence in which somebody would write them down.
std::vector<BlockAt> writtenDown(BlockOrder order, BlockGrid grid) {
  std::vector<BlockAt> sequence;
  if (order == BlockOrder::ROW_MAJOR) {
    for (uint64_t o = 0; o < grid.out; ++o) {
      for (uint64_t b = 0; b < grid.blocksPerRow; ++b) sequence.push_back({o, b});
    }
  } else {
    for (uint64_t b = 0; b < grid.blocksPerRow; ++b) {
      for (uint64_t o = 0; o < grid.out; ++o) sequence.push_back({o, b});
    }
  }
  return sequence;
}

}  // namespace

TEST_CASE("order: both formulas, their inverse and their strides agree on every grid up to 7 x 7") {
  for (const BlockOrder order : {BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR}) {
    for (uint64_t out = 1; out <= 7; ++out) {
      for (uint64_t blocksPerRow = 1; blocksPerRow <= 7; ++blocksPerRow) {
        const BlockGrid grid = {out, blocksPerRow};
        const auto sequence = writtenDown(order, grid);
        for (uint64_t flat = 0; flat < sequence.size(); ++flat) {
          const BlockAt at = sequence[flat];
          REQUIRE(flatIndex(order, grid, at.o, at.b) == flat);
          REQUIRE(blockAt(order, grid, flat) == at);
          REQUIRE(stridesOf(order, grid).at(at.o, at.b) == flat);
        }
      }
    }
  }
}

TEST_CASE("order: the two coincide exactly when a side is one block long") {
  for (uint64_t out = 1; out <= 6; ++out) {
    for (uint64_t blocksPerRow = 1; blocksPerRow <= 6; ++blocksPerRow) {
      const BlockGrid grid = {out, blocksPerRow};
      CHECK(ordersCoincide(grid) == (writtenDown(BlockOrder::ROW_MAJOR, grid) ==
                                     writtenDown(BlockOrder::INPUT_BLOCK_MAJOR, grid)));
    }
  }
}

TEST_CASE("order: the 2 x 3 picture of block_order.h") {
  const BlockGrid grid = {2, 3};
  CHECK(flatIndex(BlockOrder::ROW_MAJOR, grid, 1, 0) == 3);
  CHECK(flatIndex(BlockOrder::INPUT_BLOCK_MAJOR, grid, 1, 0) == 1);
  CHECK(flatIndex(BlockOrder::INPUT_BLOCK_MAJOR, grid, 0, 2) == 4);
}

TEST_CASE("order: names are spelled as the enumerators are") {
  CHECK(nameOf(BlockOrder::ROW_MAJOR) == "ROW_MAJOR");
  CHECK(nameOf(BlockOrder::INPUT_BLOCK_MAJOR) == "INPUT_BLOCK_MAJOR");
  CHECK(otherOrder(BlockOrder::ROW_MAJOR) == BlockOrder::INPUT_BLOCK_MAJOR);
  CHECK(otherOrder(BlockOrder::INPUT_BLOCK_MAJOR) == BlockOrder::ROW_MAJOR);
}

}  // namespace packed
