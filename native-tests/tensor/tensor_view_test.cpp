#include "tensor/tensor_view.h"

#include <doctest/doctest.h>

#include <random>
#include <utility>

#include "support/golden.h"
#include "support/views.h"

namespace packed {
namespace {

using namespace oracle;
constexpr BlockOrder kOrders[] = {BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR};

// Everything that a view can be asked agrees with the dense value.
void requireEqual(const TensorView& view, const Dense& dense) {
  REQUIRE(view.shape() == dense.shape);
  REQUIRE(sameBits(floatsOf(view), dense.values));
  for (const Shape& index : indicesOf(dense.shape)) {
    const auto value = view.get(index);
    REQUIRE(value.ok());
    REQUIRE(sameBits({*value}, {dense.at(index)}));
  }
  if (dense.shape.size() > 2) return;
  const uint64_t rows = dense.shape.size() == 2 ? dense.shape[0] : 1;
  std::vector<float> row(dense.shape.back());
  for (uint64_t o = 0; o < rows; ++o) {
    REQUIRE(view.row(o, row).ok());
    const auto from = dense.values.begin() + long(o * row.size());
    REQUIRE(sameBits(row, {from, from + long(row.size())}));
  }
}

// One random step on both; the view may refuse only what cuts blocks or needs more axes.
void step(std::mt19937& random, TensorView& view, Dense& dense) {
  const auto below = [&](uint64_t bound) { return bound == 0 ? 0 : random() % bound; };
  const std::size_t rank = dense.shape.size();
  const std::size_t axis = below(rank);
  const bool turned = view.layout().axesSwapped();
  const bool blocked = axis == rank - 1 - (turned && rank > 1);
  const uint64_t unit = blocked ? view.layout().elements() : 1;
  switch (below(4)) {
    case 0: {
      const uint64_t units = dense.shape[axis] / unit;
      const uint64_t from = below(units + 1);
      const uint64_t size = below(units - from + 1);
      auto next = view.narrow(axis, from * unit, size * unit);
      REQUIRE(next.ok());
      view = *next;
      dense = dense.narrow(axis, from * unit, size * unit);
      return;
    }
    case 1: {
      const uint64_t stride = 1 + below(4);
      auto next = view.everyNth(axis, stride);
      if (unit > 1 && stride > 1) {
        REQUIRE(codeOf(next) == ErrorCode::NOT_BLOCK_ALIGNED);
        return;
      }
      REQUIRE(next.ok());
      view = *next;
      dense = dense.everyNth(axis, stride);
      return;
    }
    case 2: {
      const uint64_t index = below(dense.shape[0]);
      auto next = view.slice(index);
      if (rank < 3 || index >= dense.shape[0]) {
        REQUIRE(!next.ok());
        return;
      }
      REQUIRE(next.ok());
      view = *next;
      dense = dense.slice(index);
      return;
    }
    default: {
      auto next = view.transpose();
      if (rank < 2) {
        REQUIRE(codeOf(next) == ErrorCode::RANK_UNSUPPORTED);
        return;
      }
      REQUIRE(next.ok());
      view = *next;
      dense = dense.transpose();
    }
  }
}

Shape randomShape(std::mt19937& random, uint32_t elements) {
  Shape shape(1 + random() % 4);
  for (uint64_t& size : shape) size = random() % 5;
  shape.back() = random() % 4 * elements + (elements == 1 ? random() % 40 : 0);
  return shape;
}

}  // namespace

TEST_CASE("view: any chain of narrow, everyNth, slice and transpose equals a dense value") {
  const Encoding encodings[] = {Encoding::Q4_0, Encoding::F32, Encoding::F16,  Encoding::NVFP4,
                                Encoding::Q8_0, Encoding::I8,  Encoding::Q4_0, Encoding::TQ2_0};
  for (uint32_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const Encoding encoding = encodings[seed % 8];
    const BlockOrder order = kOrders[random() % 2];
    const Shape shape = randomShape(random, specOf(encoding).elements);
    const auto canonical = anyBlocks(encoding, blocksOf(encoding, shape), seed);
    Scope scope("test");
    TensorView view = viewOf(scope, encoding, shape, canonical, order);
    Dense dense = decoded(encoding, shape, canonical);
    requireEqual(view, dense);
    for (uint64_t steps = 1 + random() % 6; steps > 0; --steps) step(random, view, dense);
    requireEqual(view, dense);
  }
}

TEST_CASE("view: both orders of every encoding decode to the same bits") {
  for (const EncodingSpec& spec : allEncodings()) {
    CAPTURE(spec.name);
    const Shape shape = {5, 3 * spec.elements};
    const auto canonical = anyBlocks(spec.encoding, 15, 3);
    Scope scope("test");
    for (const BlockOrder order : kOrders) {
      requireEqual(viewOf(scope, spec.encoding, shape, canonical, order),
                   decoded(spec.encoding, shape, canonical));
    }
  }
}

TEST_CASE("view: get, row and toFloats give the reference's bits, from both orders") {
  for (const auto& entry : golden::entries()) {
    CAPTURE(nameOf(entry.encoding));
    const Shape shape = {golden::kRows, golden::kBlocksPerRow * specOf(entry.encoding).elements};
    for (const auto& [bytes, floats] :
         {std::pair{"arbitrary.bin", "arbitrary.f32"}, {"quantized.bin", "decoded.f32"}}) {
      const Dense expected = {shape, golden::floats(entry.encoding, floats)};
      const auto canonical = golden::bytes(entry.encoding, bytes);
      Scope scope("test");
      for (const BlockOrder order : kOrders) {
        requireEqual(viewOf(scope, entry.encoding, shape, canonical, order), expected);
      }
    }
  }
}

TEST_CASE("view: copyBlocks writes the blocks seen in either order, from either order") {
  for (const BlockOrder order : kOrders) {
    Scope scope("test");
    const auto canonical = anyBlocks(Encoding::Q4_0, 2 * 5 * 3, 9);
    const TensorView whole = viewOf(scope, Encoding::Q4_0, {2, 5, 96}, canonical, order);
    CHECK(bytesOf(whole, BlockOrder::ROW_MAJOR) == canonical);
    CHECK(bytesOf(whole, BlockOrder::INPUT_BLOCK_MAJOR) ==
          inOrder(canonical, 2, {5, 3}, 18, BlockOrder::INPUT_BLOCK_MAJOR));
    // Rows 1 and 3 of blocks 1 and 2 of the second grid, by hand.
    const TensorView part =
        *(*(*(*whole.slice(1)).narrow(1, 32, 64)).narrow(0, 1, 3)).everyNth(0, 2);
    std::vector<uint8_t> expected;
    for (const int block : {15 + 4, 15 + 5, 15 + 10, 15 + 11}) {
      const auto from = canonical.begin() + block * 18;
      expected.insert(expected.end(), from, from + 18);
    }
    CHECK(bytesOf(part, BlockOrder::ROW_MAJOR) == expected);
  }
}

TEST_CASE("view: bytes that are not exactly the shape are refused with both numbers") {
  Scope scope("test");
  const Shape shape = {5, 96};
  for (const uint64_t size : {uint64_t{0}, uint64_t{269}, uint64_t{271}}) {
    const auto view =
        TensorView::of(*scope.allocate(size, "test"), Encoding::Q4_0, shape, BlockOrder::ROW_MAJOR);
    REQUIRE(codeOf(view) == ErrorCode::SIZE_MISMATCH);
    CHECK(view.error().expected == "270 bytes");
    CHECK(view.error().actual == joined(size, " bytes"));
  }
}

TEST_CASE("view: indices, rows and destinations that do not fit are refused") {
  Scope scope("test");
  const TensorView view = realView(scope, Encoding::Q4_0, {5, 96}, BlockOrder::ROW_MAJOR);
  CHECK(codeOf(view.get(Shape{5, 0})) == ErrorCode::OUT_OF_RANGE);
  CHECK(codeOf(view.get(Shape{0, 96})) == ErrorCode::OUT_OF_RANGE);
  CHECK(codeOf(view.get(Shape{0, UINT64_MAX})) == ErrorCode::OUT_OF_RANGE);
  CHECK(codeOf(view.get(Shape{0})) == ErrorCode::OUT_OF_RANGE);
  CHECK(codeOf(view.get(Shape{})) == ErrorCode::OUT_OF_RANGE);
  std::vector<float> row(96), wrong(95);
  CHECK(codeOf(view.row(5, row)) == ErrorCode::OUT_OF_RANGE);
  CHECK(codeOf(view.row(0, wrong)) == ErrorCode::SIZE_MISMATCH);
  CHECK(codeOf((*view.transpose()).row(0, row)) == ErrorCode::SIZE_MISMATCH);
  CHECK(codeOf((*view.transpose()).row(96, row)) == ErrorCode::OUT_OF_RANGE);
  CHECK(codeOf(view.toFloats(wrong)) == ErrorCode::SIZE_MISMATCH);
  std::vector<uint8_t> bytes(269);
  CHECK(codeOf(view.copyBlocks(BlockOrder::ROW_MAJOR, bytes)) == ErrorCode::SIZE_MISMATCH);
  const TensorView stack = realView(scope, Encoding::Q4_0, {2, 5, 96}, BlockOrder::ROW_MAJOR);
  CHECK(codeOf(stack.row(0, row)) == ErrorCode::RANK_UNSUPPORTED);
}

TEST_CASE("view: the blocks of a transposed view cannot be copied as rows") {
  Scope scope("test");
  const TensorView view = realView(scope, Encoding::Q4_0, {5, 96}, BlockOrder::ROW_MAJOR);
  std::vector<uint8_t> bytes(270);
  CHECK(codeOf((*view.transpose()).copyBlocks(BlockOrder::ROW_MAJOR, bytes)) ==
        ErrorCode::NOT_BLOCKED);
}

TEST_CASE("view: reshape reads the same blocks as other rows") {
  Scope scope("test");
  const auto canonical = anyBlocks(Encoding::Q4_0, 12, 4);
  const TensorView view = viewOf(scope, Encoding::Q4_0, {4, 96}, canonical, BlockOrder::ROW_MAJOR);
  requireEqual(*view.reshape(Shape{3, 2, 64}), decoded(Encoding::Q4_0, {3, 2, 64}, canonical));
  CHECK(codeOf((*view.narrow(1, 0, 64)).reshape(Shape{256})) == ErrorCode::RESHAPE_REFUSED);
}

TEST_CASE("view: a view of borrowed bytes reads them and cannot write them") {
  const auto bytes = anyBlocks(Encoding::Q4_0, 15, 4);
  const auto storage = Storage::borrow(bytes);
  const auto view = TensorView::of(storage, Encoding::Q4_0, Shape{5, 96}, BlockOrder::ROW_MAJOR);
  REQUIRE(view.ok());
  requireEqual(*view, decoded(Encoding::Q4_0, {5, 96}, bytes));
  CHECK(codeOf(storage->writableBytes()) == ErrorCode::WRITE_REFUSED);
}

}  // namespace packed
