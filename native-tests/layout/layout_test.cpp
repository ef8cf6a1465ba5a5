#include "layout/layout.h"

#include <doctest/doctest.h>

#include "layout/shape_label.h"

namespace packed {
namespace {

using Shape = std::vector<uint64_t>;
constexpr BlockOrder kOrders[] = {BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR};

Layout dense(const Shape& shape, uint32_t elements, BlockOrder order = BlockOrder::ROW_MAJOR) {
  auto layout = Layout::dense(shape, elements, order);
  REQUIRE(layout.ok());
  return *layout;
}

ErrorCode codeOf(const Result<Layout>& refused) {
  REQUIRE(!refused.ok());
  return refused.error().code;
}

}  // namespace

TEST_CASE("layout: places of a dense stack are the sequence its order is written in") {
  for (const BlockOrder order : kOrders) {
    const Layout layout = dense({2, 3, 4, 5 * 32}, 32, order);
    uint64_t next = 0;
    for (uint64_t s = 0; s < 6; ++s) {
      const uint64_t outer = order == BlockOrder::ROW_MAJOR ? 4 : 5;
      const uint64_t inner = order == BlockOrder::ROW_MAJOR ? 5 : 4;
      for (uint64_t i = 0; i < outer; ++i) {
        for (uint64_t j = 0; j < inner; ++j) {
          const uint64_t o = order == BlockOrder::ROW_MAJOR ? i : j;
          const uint64_t b = order == BlockOrder::ROW_MAJOR ? j : i;
          REQUIRE(layout.placeOf(s, o, b) == next++);
        }
      }
    }
    CHECK(layout.blockCount() == next);
    CHECK(layout.gapFree());
    CHECK(layout.shape() == Shape{2, 3, 4, 160});
    CHECK(layout.rank() == 4);
  }
}

TEST_CASE("layout: order is in the strides, [blocksPerRow, 1] or [1, out]") {
  CHECK(dense({7, 96}, 32).strides() == GridStrides{3, 1});
  CHECK(dense({7, 96}, 32, BlockOrder::INPUT_BLOCK_MAJOR).strides() == GridStrides{1, 7});
}

TEST_CASE("layout: a row length that is not whole blocks is refused with its remainder") {
  const auto refused = Layout::dense(Shape{2, 4544}, 256, BlockOrder::ROW_MAJOR);
  REQUIRE(codeOf(refused) == ErrorCode::NOT_BLOCK_DIVISIBLE);
  CHECK(refused.error().message.find("4544 = 17*256 + 192") != std::string::npos);
  // The total, 64 * 8 = 512, would divide.
  CHECK(codeOf(Layout::dense(Shape{8, 64}, 256, BlockOrder::ROW_MAJOR)) ==
        ErrorCode::NOT_BLOCK_DIVISIBLE);
}

TEST_CASE("layout: ranks 1 to 4 exist, and no others") {
  CHECK(dense({64}, 32).grid() == BlockGrid{1, 2});
  CHECK(codeOf(Layout::dense(Shape{}, 32, BlockOrder::ROW_MAJOR)) == ErrorCode::RANK_UNSUPPORTED);
  CHECK(codeOf(Layout::dense(Shape{1, 1, 1, 1, 32}, 32, BlockOrder::ROW_MAJOR)) ==
        ErrorCode::RANK_UNSUPPORTED);
}

TEST_CASE("layout: sizes that wrap 64 bits are refused") {
  const uint64_t big = uint64_t{1} << 40;
  CHECK(codeOf(Layout::dense(Shape{big, big}, 32, BlockOrder::ROW_MAJOR)) ==
        ErrorCode::SIZE_OVERFLOW);
  // llama.cpp #26978: ne [4, 2^30 - 1, 2^30 + 1], here of 16 more
  CHECK(codeOf(Layout::dense(Shape{16, (1u << 30) + 1, (1u << 30) - 1, 4}, 1,
                             BlockOrder::ROW_MAJOR)) == ErrorCode::SIZE_OVERFLOW);
}

TEST_CASE("layout: empty sizes are layouts of no blocks") {
  for (const Shape& shape :
       {Shape{0}, Shape{0, 64}, Shape{3, 0}, Shape{0, 3, 64}, Shape{2, 0, 64}}) {
    const Layout layout = dense(shape, 32);
    CHECK(layout.blockCount() == 0);
    CHECK(layout.shape() == shape);
  }
  const Layout none = *dense({4, 128}, 32).narrow(0, 4, 0);
  CHECK(none.shape() == Shape{0, 128});
  CHECK(none.blockCount() == 0);
  CHECK((*dense({4, 128}, 32).narrow(1, 64, 0)).shape() == Shape{4, 0});
}

TEST_CASE("layout: narrow along the blocks needs whole blocks and names the unit") {
  const Layout layout = dense({4, 128}, 32);
  CHECK(layout.narrow(1, 32, 64).ok());
  const auto from = layout.narrow(1, 16, 64);
  REQUIRE(codeOf(from) == ErrorCode::NOT_BLOCK_ALIGNED);
  CHECK(from.error().message.find("multiples of 32") != std::string::npos);
  CHECK(codeOf(layout.narrow(1, 32, 16)) == ErrorCode::NOT_BLOCK_ALIGNED);
  CHECK(layout.narrow(0, 1, 3).ok());
}

TEST_CASE("layout: narrow, step, slice and axes out of range are refused, however large") {
  const Layout layout = dense({3, 4, 128}, 32);
  CHECK(codeOf(layout.narrow(1, 3, 2)) == ErrorCode::OUT_OF_RANGE);
  CHECK(codeOf(layout.narrow(1, UINT64_MAX, 2)) == ErrorCode::OUT_OF_RANGE);
  CHECK(codeOf(layout.narrow(1, 1, UINT64_MAX)) == ErrorCode::OUT_OF_RANGE);
  CHECK(codeOf(layout.narrow(3, 0, 0)) == ErrorCode::OUT_OF_RANGE);
  CHECK(codeOf(layout.everyNth(3, 1)) == ErrorCode::OUT_OF_RANGE);
  CHECK(codeOf(layout.everyNth(1, 0)) == ErrorCode::INVALID_ARGUMENT);
  CHECK(codeOf(layout.slice(3)) == ErrorCode::OUT_OF_RANGE);
  CHECK(codeOf(dense({4, 128}, 32).slice(0)) == ErrorCode::RANK_UNSUPPORTED);
  CHECK(codeOf(dense({128}, 32).swapAxes()) == ErrorCode::RANK_UNSUPPORTED);
}

TEST_CASE("layout: a step along a blocked axis is refused, along values and rows it is not") {
  const Layout blocked = dense({4, 128}, 32);
  CHECK(codeOf(blocked.everyNth(1, 2)) == ErrorCode::NOT_BLOCK_ALIGNED);
  CHECK(blocked.everyNth(1, 1).ok());
  CHECK((*blocked.everyNth(0, 3)).shape() == Shape{2, 128});
  CHECK((*dense({4, 9}, 1).everyNth(1, 4)).shape() == Shape{4, 3});
  // After the axes are swapped the blocked one is the first.
  CHECK(codeOf((*blocked.swapAxes()).everyNth(0, 2)) == ErrorCode::NOT_BLOCK_ALIGNED);
  CHECK((*blocked.swapAxes()).everyNth(1, 2).ok());
}

TEST_CASE("layout: a huge step leaves one index and no stride that wraps") {
  const Layout one = *dense({4, 128}, 32).everyNth(0, UINT64_MAX);
  CHECK(one.shape() == Shape{1, 128});
  CHECK(one.placeOf(0, 0, 3) == 3);
}

TEST_CASE("layout: gap-free means exactly that the places are 0, 1, 2 .. in the order named") {
  for (const BlockOrder order : kOrders) {
    const Layout whole = dense({2, 3, 4 * 32}, 32, order);
    std::vector<Layout> parts = {whole};
    for (uint64_t from = 0; from < 3; ++from) {
      for (uint64_t size = 1; from + size <= 3; ++size) {
        const Layout rows = *whole.narrow(1, from, size);
        parts.push_back(rows);
        for (uint64_t b = 0; b < 4; ++b) {
          for (uint64_t blocks = 1; b + blocks <= 4; ++blocks) {
            const Layout part = *rows.narrow(2, b * 32, blocks * 32);
            parts.push_back(part);
            parts.push_back(*part.slice(1));
            parts.push_back(*part.narrow(0, 1, 1));
            parts.push_back(*part.everyNth(1, 2));
            parts.push_back(*part.everyNth(0, 2));
          }
        }
      }
    }
    for (const Layout& part : parts) {
      bool consecutive = true;
      uint64_t next = part.sliceStart(0);
      for (uint64_t s = 0; s < part.sliceCount(); ++s) {
        const BlockGrid grid = part.grid();
        for (uint64_t flat = 0; flat < grid.out * grid.blocksPerRow; ++flat) {
          const BlockAt at = blockAt(order, grid, flat);
          consecutive = consecutive && part.placeOf(s, at.o, at.b) == next++;
        }
      }
      REQUIRE(part.gapFree() == consecutive);
    }
  }
}

TEST_CASE("layout: a swapped layout is never gap-free, and swapping twice is the same layout") {
  const Layout square = dense({3, 3}, 1);
  CHECK(!(*square.swapAxes()).gapFree());
  CHECK(*(*square.swapAxes()).swapAxes() == square);
}

TEST_CASE("layout: reshape joins and parts rows of ROW_MAJOR blocks") {
  const Layout rows = dense({4, 128}, 32);
  const Layout reshaped = *rows.reshape(Shape{2, 2, 2, 64});
  CHECK(reshaped.shape() == Shape{2, 2, 2, 64});
  CHECK(reshaped.placeOf(3, 1, 1) == 15);
  CHECK((*rows.reshape(Shape{512})).shape() == Shape{512});
  CHECK(codeOf(rows.reshape(Shape{5, 128})) == ErrorCode::SIZE_MISMATCH);
  CHECK(codeOf(rows.reshape(Shape{32, 16})) == ErrorCode::NOT_BLOCK_DIVISIBLE);
}

TEST_CASE("layout: reshape of a prepacked grid is refused; only its stack can be regrouped") {
  const Layout kernelOrder = dense({6, 4, 128}, 32, BlockOrder::INPUT_BLOCK_MAJOR);
  CHECK(kernelOrder.reshape(Shape{2, 3, 4, 128}).ok());
  CHECK(codeOf(kernelOrder.reshape(Shape{24, 128})) == ErrorCode::RESHAPE_REFUSED);
  CHECK(codeOf(kernelOrder.reshape(Shape{6, 8, 64})) == ErrorCode::RESHAPE_REFUSED);
  // Coinciding orders coincide only at this shape.
  const Layout row = dense({1, 128}, 32, BlockOrder::INPUT_BLOCK_MAJOR);
  CHECK(codeOf(row.reshape(Shape{2, 64})) == ErrorCode::RESHAPE_REFUSED);
}

TEST_CASE(
    "layout: reshape of a part with holes is refused, of a gap-free part it keeps the offset") {
  const Layout rows = dense({4, 128}, 32);
  CHECK(codeOf((*rows.narrow(1, 0, 64)).reshape(Shape{256})) == ErrorCode::RESHAPE_REFUSED);
  CHECK(codeOf((*rows.swapAxes()).reshape(Shape{512})) == ErrorCode::RESHAPE_REFUSED);
  const Layout last = *(*rows.narrow(0, 2, 2)).reshape(Shape{256});
  CHECK(last.offset() == 8);
  CHECK(last.placeOf(0, 0, 7) == 15);
}

TEST_CASE("layout: the ne label reversed twice is itself") {
  const Shape ne = {14336, 4096, 8};
  CHECK(reversedLabel(ne) == Shape{8, 4096, 14336});
  CHECK(reversedLabel(reversedLabel(ne)) == ne);
}

}  // namespace packed
