#include "weights/block_match.h"

#include <doctest/doctest.h>

#include <set>

#include "encoding/encoding.h"

using namespace packed;

namespace {

std::set<uint32_t> blockSizes() {
  std::set<uint32_t> sizes;
  for (const EncodingSpec& spec : allEncodings()) sizes.insert(spec.bytes);
  return sizes;
}

// A grid as it lies in memory: in one of the orders, or with places between that belong to nobody.
struct Laid {
  GridStrides strides;
  std::vector<uint8_t> bytes;
};

Laid laid(BlockGrid grid, GridStrides strides, uint32_t size) {
  const uint64_t last = strides.at(grid.out - 1, grid.blocksPerRow - 1);
  Laid to{strides, std::vector<uint8_t>((last + 1) * size, 0xAA)};
  for (uint64_t o = 0; o < grid.out; ++o) {
    for (uint64_t b = 0; b < grid.blocksPerRow; ++b) {
      for (uint64_t i = 0; i < size; ++i) {
        to.bytes[strides.at(o, b) * size + i] = static_cast<uint8_t>(37 * o + 11 * b + 3 * i);
      }
    }
  }
  return to;
}

uint64_t differing(BlockGrid grid, const Laid& one, const Laid& other, uint32_t size) {
  return countDiffering(grid, {one.bytes.data(), one.strides, size},
                        {other.bytes.data(), other.strides, size});
}

}  // namespace

TEST_CASE("countDiffering: a byte anywhere in any block counts once, however the two sides lie") {
  for (const uint32_t size : blockSizes()) {
    for (const BlockGrid grid : {BlockGrid{1, 9}, {3, 5}, {4, 4}, {5, 8}, {9, 1}, {11, 13}}) {
      const GridStrides rows = stridesOf(BlockOrder::ROW_MAJOR, grid);
      const GridStrides columns = stridesOf(BlockOrder::INPUT_BLOCK_MAJOR, grid);
      const Laid one = laid(grid, rows, size);
      for (const GridStrides strides : {rows, columns, GridStrides{2, 2 * grid.out + 1},
                                        GridStrides{grid.blocksPerRow + 2, 1}}) {
        Laid other = laid(grid, strides, size);
        CAPTURE(size);
        CAPTURE(grid.out);
        CAPTURE(strides.row);
        REQUIRE(differing(grid, one, other, size) == 0);
        uint32_t byte = 0;
        for (uint64_t o = 0; o < grid.out; ++o) {
          for (uint64_t b = 0; b < grid.blocksPerRow; ++b) {
            // Another byte each time: all of a block are met in one of its grids.
            uint8_t& changed = other.bytes[strides.at(o, b) * size + byte % size];
            changed ^= 0x10;
            REQUIRE(differing(grid, one, other, size) == 1);
            REQUIRE(differing(grid, other, one, size) == 1);
            changed ^= 0x10;
            byte += 5;
          }
        }
      }
    }
  }
}

TEST_CASE("countDiffering: every byte of a small block of many rows and columns") {
  const BlockGrid grid{9, 9};
  for (const uint32_t size : {17u, 18u, 20u, 22u, 24u, 34u, 36u, 50u}) {
    const Laid one = laid(grid, stridesOf(BlockOrder::ROW_MAJOR, grid), size);
    Laid other = laid(grid, stridesOf(BlockOrder::INPUT_BLOCK_MAJOR, grid), size);
    for (uint8_t& byte : other.bytes) {
      byte ^= 1;
      REQUIRE(differing(grid, one, other, size) == 1);
      byte ^= 1;
    }
  }
}
