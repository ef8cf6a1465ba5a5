#include "tensor/dequantize.h"

#include <doctest/doctest.h>

#include "support/views.h"

namespace packed {
namespace {

using namespace oracle;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

}  // namespace

TEST_CASE("dequantize: any view gives its own values as a dense F32 view, and one event") {
  for (const BlockOrder order : {kRows, kKernel}) {
    TraceRing ring;
    Scope scope("test");
    const TensorView w = realView(scope, Encoding::Q4_K, {2, 4, 512}, order);
    for (const TensorView& view : {w, *w.slice(1), *w.narrow(1, 1, 2), *w.transpose()}) {
      ring.clear();
      const auto made = dequantize(view, scope, &ring);
      REQUIRE(made.ok());
      CHECK(made->encoding() == Encoding::F32);
      CHECK(made->shape() == view.shape());
      CHECK(sameBits(floatsOf(*made), floatsOf(view)));
      REQUIRE(ring.events().size() == 1);
      CHECK(ring.events()[0].what == "dequantize-f32");
      CHECK(ring.events()[0].bytes == view.valueCount() * 4);
    }
  }
}

TEST_CASE("dequantize: a stream gives the same values for windows of any size") {
  for (const Encoding encoding : {Encoding::Q4_0, Encoding::Q6_K, Encoding::F16, Encoding::F32}) {
    const Shape shape = {2, 3, 2 * specOf(encoding).elements};
    const auto canonical = anyBlocks(encoding, blocksOf(encoding, shape), 4);
    for (std::size_t window = 1; window <= canonical.size(); window += 1 + window / 2) {
      Scope scope("test");
      auto stream = DequantizeStream::start(encoding, shape, scope, nullptr);
      REQUIRE(stream.ok());
      CHECK(stream->size() == canonical.size());
      for (std::size_t at = 0; at < canonical.size(); at += window) {
        const auto end = std::min(canonical.size(), at + window);
        const std::vector<uint8_t> part(canonical.begin() + long(at),
                                        canonical.begin() + long(end));
        REQUIRE(stream->accept(part).ok());
      }
      const auto view = stream->finish();
      REQUIRE(view.ok());
      CHECK(sameBits(floatsOf(*view), decoded(encoding, shape, canonical).values));
    }
  }
}

TEST_CASE("dequantize: a stream refuses too much and too little, and gives its memory back") {
  Scope scope("test");
  {
    auto stream = DequantizeStream::start(Encoding::Q4_0, Shape{5, 96}, scope, nullptr);
    REQUIRE(stream.ok());
    REQUIRE(stream->accept(std::vector<uint8_t>(269)).ok());
    CHECK(codeOf(stream->finish()) == ErrorCode::SIZE_MISMATCH);
    CHECK(codeOf(stream->accept(std::vector<uint8_t>(2))) == ErrorCode::SIZE_MISMATCH);
    CHECK(scope.bytesLive() == 5 * 96 * 4);
  }
  CHECK(scope.bytesLive() == 0);
  Scope small("small", nullptr, 1000);
  const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  CHECK(codeOf(dequantize(w, small, nullptr)) == ErrorCode::OUT_OF_MEMORY);
  CHECK(small.bytesLive() == 0);
}

}  // namespace packed
