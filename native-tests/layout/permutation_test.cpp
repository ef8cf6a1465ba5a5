#include "layout/permutation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "support/oracle.h"

namespace packed {
namespace {

using oracle::inOrder;
constexpr BlockOrder kOrders[] = {BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR};

// Bytes of `slices` grids in which no two blocks are alike.
std::vector<uint8_t> distinctBlocks(uint64_t slices, BlockGrid grid, uint32_t blockBytes) {
  std::vector<uint8_t> bytes(slices * grid.out * grid.blocksPerRow * blockBytes);
  uint32_t state = 12345;
  for (uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = uint8_t(state >> 24);
  }
  return bytes;
}

template <class Check>
void forEachSmallGrid(Check check) {
  for (uint64_t out = 1; out <= 6; ++out) {
    for (uint64_t blocksPerRow = 1; blocksPerRow <= 6; ++blocksPerRow) {
      for (const uint32_t blockBytes : {1u, 2u, 15u, 16u, 17u, 18u, 32u, 33u, 144u}) {
        CAPTURE(out);
        CAPTURE(blocksPerRow);
        CAPTURE(blockBytes);
        check(BlockGrid{out, blocksPerRow}, blockBytes);
      }
    }
  }
}

}  // namespace

TEST_CASE(
    "permutation: out of place puts every block where its order wants it, on all small grids") {
  forEachSmallGrid([](BlockGrid grid, uint32_t blockBytes) {
    const auto canonical = distinctBlocks(1, grid, blockBytes);
    for (const BlockOrder from : kOrders) {
      for (const BlockOrder to : kOrders) {
        const auto source = inOrder(canonical, 1, grid, blockBytes, from);
        std::vector<uint8_t> target(source.size());
        permuteBlocks(grid, blockBytes, source.data(), stridesOf(from, grid), target.data(),
                      stridesOf(to, grid));
        REQUIRE(target == inOrder(canonical, 1, grid, blockBytes, to));
      }
    }
  });
}

TEST_CASE("permutation: tiles join without a seam where a grid is larger than one") {
  // Every size, so every one that is moved in a way of its own; grids a little longer than tiles
  // and of every rest of columns.
  for (uint32_t bytes = 1; bytes <= 300; ++bytes) {
    for (const BlockGrid grid : {BlockGrid{65, 17}, BlockGrid{64, 16}, BlockGrid{3, 23},
                                 BlockGrid{1, 20}, BlockGrid{1031, 5}}) {
      if (grid.out > 1000 && bytes % 7 != 3) continue;
      CAPTURE(bytes);
      CAPTURE(grid.out);
      const auto canonical = distinctBlocks(1, grid, bytes);
      const auto kernel = inOrder(canonical, 1, grid, bytes, BlockOrder::INPUT_BLOCK_MAJOR);
      const GridStrides rows = stridesOf(BlockOrder::ROW_MAJOR, grid);
      const GridStrides columns = stridesOf(BlockOrder::INPUT_BLOCK_MAJOR, grid);
      std::vector<uint8_t> target(canonical.size());
      permuteBlocks(grid, bytes, canonical.data(), rows, target.data(), columns);
      CHECK(target == kernel);
      permuteBlocks(grid, bytes, kernel.data(), columns, target.data(), rows);
      CHECK(target == canonical);
    }
  }
}

TEST_CASE("permutation: large grids come out the same whichever way is the faster one") {
  // Rows that do not share pages; of two stretches (base/faster_way.h), by turns the other way.
#define X(name, ggmlType, elements, bytes, group, kind) bytes,
  std::set<uint32_t> sizes = {
#include "encoding/encodings.inc"
  };
#undef X
  std::erase_if(sizes, [](uint32_t bytes) { return bytes < 16; });
  for (const uint32_t bytes : sizes) {
    CAPTURE(bytes);
    const BlockGrid grid = {1324, 1024 / bytes + 3};
    const auto canonical = distinctBlocks(1, grid, bytes);
    const auto kernel = inOrder(canonical, 1, grid, bytes, BlockOrder::INPUT_BLOCK_MAJOR);
    const GridStrides rows = stridesOf(BlockOrder::ROW_MAJOR, grid);
    const GridStrides columns = stridesOf(BlockOrder::INPUT_BLOCK_MAJOR, grid);
    for (int turn = 0; turn < 3; ++turn) {
      std::vector<uint8_t> target(canonical.size());
      permuteBlocks(grid, bytes, canonical.data(), rows, target.data(), columns);
      CHECK(target == kernel);
      std::ranges::fill(target, uint8_t{0});
      permuteBlocks(grid, bytes, kernel.data(), columns, target.data(), rows);
      CHECK(target == canonical);
    }
  }
}

TEST_CASE("permutation: any strides are kept to, and nothing between the blocks is written") {
  // Rows and blocks of a row farther apart than they are large, on one side or on both.
  constexpr GridStrides kGaps[] = {{11, 1}, {33, 3}, {1, 70}, {2, 140}, {30, 3}};
  for (const uint32_t bytes : {8u, 17u, 18u, 24u, 36u, 144u, 210u, 292u}) {
    for (const BlockGrid grid : {BlockGrid{66, 10}, BlockGrid{65, 9}, BlockGrid{7, 3}}) {
      for (const GridStrides& from : kGaps) {
        for (const GridStrides& to : kGaps) {
          CAPTURE(bytes);
          CAPTURE(grid.out);
          CAPTURE(from.row);
          CAPTURE(to.row);
          const auto reach = [&](GridStrides strides) {
            return BlockGrid{1, strides.at(grid.out - 1, grid.blocksPerRow - 1) + 1};
          };
          const auto source = distinctBlocks(1, reach(from), bytes);
          std::vector<uint8_t> target(reach(to).blocksPerRow * bytes, 0xEE);
          std::vector<uint8_t> wanted = target;
          for (uint64_t o = 0; o < grid.out; ++o) {
            for (uint64_t b = 0; b < grid.blocksPerRow; ++b) {
              std::copy_n(source.data() + from.at(o, b) * bytes, bytes,
                          wanted.data() + to.at(o, b) * bytes);
            }
          }
          permuteBlocks(grid, bytes, source.data(), from, target.data(), to);
          REQUIRE(target == wanted);
        }
      }
    }
  }
}

TEST_CASE("permutation: in place equals out of place on all small grids, stacks included") {
  forEachSmallGrid([](BlockGrid grid, uint32_t blockBytes) {
    for (const uint64_t slices : {uint64_t{1}, uint64_t{3}}) {
      const auto canonical = distinctBlocks(slices, grid, blockBytes);
      for (const BlockOrder from : kOrders) {
        for (const BlockOrder to : kOrders) {
          auto bytes = inOrder(canonical, slices, grid, blockBytes, from);
          REQUIRE(permuteBlocksInPlace(grid, blockBytes, bytes, from, to, slices).ok());
          REQUIRE(bytes == inOrder(canonical, slices, grid, blockBytes, to));
        }
      }
    }
  });
}

TEST_CASE("permutation: in place moves bands of rows together, whether or not they come out even") {
  // 256 = 2 * 128, 771 = 3 * 257, 8192 = 32 * 256; of the primes 257, 1031 and 3001 one, seven and
  // eleven rows are left over.
  for (const BlockGrid grid : {BlockGrid{256, 7}, BlockGrid{257, 3}, BlockGrid{771, 5},
                               BlockGrid{1031, 2}, BlockGrid{3001, 9}, BlockGrid{8192, 3}}) {
    const auto canonical = distinctBlocks(2, grid, 18);
    const auto kernel = inOrder(canonical, 2, grid, 18, BlockOrder::INPUT_BLOCK_MAJOR);
    auto bytes = canonical;
    REQUIRE(permuteBlocksInPlace(grid, 18, bytes, BlockOrder::ROW_MAJOR,
                                 BlockOrder::INPUT_BLOCK_MAJOR, 2)
                .ok());
    CHECK(bytes == kernel);
    REQUIRE(permuteBlocksInPlace(grid, 18, bytes, BlockOrder::INPUT_BLOCK_MAJOR,
                                 BlockOrder::ROW_MAJOR, 2)
                .ok());
    CHECK(bytes == canonical);
    CHECK(inPlaceScratchBytes(grid, 18) < canonical.size() / 2 / 64);
  }
}

TEST_CASE("permutation: in place refuses bytes that are not the grid, and leaves them alone") {
  const BlockGrid grid = {5, 3};
  for (const std::size_t size : {0u, 269u, 271u, 540u}) {
    std::vector<uint8_t> bytes(size, 7);
    const Status status =
        permuteBlocksInPlace(grid, 18, bytes, BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR);
    REQUIRE(!status.ok());
    CHECK(status.error().code == ErrorCode::SIZE_MISMATCH);
    CHECK(status.error().expected == "270 bytes");
    CHECK(bytes == std::vector<uint8_t>(size, 7));
  }
}

TEST_CASE("permutation: a grid whose size wraps 64 bits is refused") {
  std::vector<uint8_t> bytes;
  const BlockGrid huge = {uint64_t{1} << 32, uint64_t{1} << 32};
  const Status status =
      permuteBlocksInPlace(huge, 18, bytes, BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR);
  REQUIRE(!status.ok());
  CHECK(status.error().expected == "more than 64 bits");
}

TEST_CASE("permutation: empty grids are nothing to do") {
  std::vector<uint8_t> none;
  for (const BlockGrid grid : {BlockGrid{0, 0}, BlockGrid{0, 5}, BlockGrid{5, 0}}) {
    CHECK(permuteBlocksInPlace(grid, 18, none, BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR)
              .ok());
    auto stream = StreamingPermutation::start(grid, 18, BlockOrder::INPUT_BLOCK_MAJOR, none);
    REQUIRE(stream.ok());
    CHECK(stream->accept({}).ok());
    CHECK(stream->finish().ok());
  }
}

TEST_CASE("permutation: streaming gives the same bytes for every window size") {
  for (const BlockGrid grid :
       {BlockGrid{5, 3}, BlockGrid{1, 4}, BlockGrid{4, 1}, BlockGrid{2, 2}}) {
    for (const BlockOrder order : kOrders) {
      const auto canonical = distinctBlocks(1, grid, 18);
      const auto expected = inOrder(canonical, 1, grid, 18, order);
      for (std::size_t window = 1; window <= canonical.size() + 1; ++window) {
        std::vector<uint8_t> target(canonical.size());
        auto stream = StreamingPermutation::start(grid, 18, order, target);
        REQUIRE(stream.ok());
        for (std::size_t at = 0; at < canonical.size(); at += window) {
          // A copy of the window alone, so that a sanitizer sees a read past it.
          const std::vector<uint8_t> part(
              canonical.begin() + long(at),
              canonical.begin() + long(std::min(canonical.size(), at + window)));
          REQUIRE(stream->accept(part).ok());
        }
        REQUIRE(stream->finish().ok());
        REQUIRE(target == expected);
      }
    }
  }
}

TEST_CASE("permutation: a stream says how many bytes are missing, and refuses more than fit") {
  std::vector<uint8_t> target(270);
  auto stream = StreamingPermutation::start({5, 3}, 18, BlockOrder::INPUT_BLOCK_MAJOR, target);
  REQUIRE(stream.ok());
  REQUIRE(stream->accept(std::vector<uint8_t>(269)).ok());
  const Status early = stream->finish();
  REQUIRE(!early.ok());
  CHECK(early.error().message == "the rows end 1 bytes early: 269 of 270 bytes arrived");
  CHECK(!stream->accept(std::vector<uint8_t>(2)).ok());
  CHECK(stream->accept(std::vector<uint8_t>(1)).ok());
  CHECK(stream->finish().ok());
}

TEST_CASE("permutation: one block per row makes both orders coincide, and a square grid does not") {
  const auto column = distinctBlocks(1, {7, 1}, 18);
  CHECK(inOrder(column, 1, {7, 1}, 18, BlockOrder::INPUT_BLOCK_MAJOR) == column);
  auto square = distinctBlocks(1, {3, 3}, 18);
  const auto before = square;
  REQUIRE(
      permuteBlocksInPlace({3, 3}, 18, square, BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR)
          .ok());
  CHECK(square != before);
}

}  // namespace packed
