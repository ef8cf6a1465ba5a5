#include "tensor/prepack_stream.h"

#include <doctest/doctest.h>

#include "support/views.h"
#include "tensor/prepack.h"

namespace packed {
namespace {

using namespace oracle;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

}  // namespace

TEST_CASE("prepack stream: any windows give what prepack gives, in one destination") {
  for (const Shape& shape : {Shape{5, 96}, Shape{3, 4, 64}, Shape{2, 2, 1, 96}, Shape{64}}) {
    const auto canonical = realBlocks(Encoding::Q4_0, blocksOf(Encoding::Q4_0, shape), 8);
    for (const BlockOrder order : {kRows, kKernel}) {
      for (std::size_t window = 1; window < canonical.size() + 2; window += 1 + window / 3) {
        TraceRing ring;
        Scope scope("load");
        auto stream = PrepackStream::start(Encoding::Q4_0, shape, order, scope, &ring);
        REQUIRE(stream.ok());
        for (std::size_t at = 0; at < canonical.size(); at += window) {
          const auto end = std::min(canonical.size(), at + window);
          const std::vector<uint8_t> part(canonical.begin() + long(at),
                                          canonical.begin() + long(end));
          REQUIRE(stream->accept(part).ok());
        }
        CHECK(stream->received() == stream->size());
        const auto view = stream->finish();
        REQUIRE(view.ok());
        CHECK(view->order() == order);
        CHECK(bytesOf(*view, kRows) == canonical);
        CHECK(scope.bytesPeak() == canonical.size());
        CHECK(countOf(ring, TraceKind::AdapterInserted) == (order == kKernel ? 1 : 0));
        if (order == kKernel) CHECK(ring.events()[0].bytes == canonical.size());
      }
    }
  }
}

TEST_CASE("prepack stream: a dropped stream gives its destination back") {
  Scope scope("load");
  {
    auto stream = PrepackStream::start(Encoding::Q4_0, Shape{5, 96}, kKernel, scope, nullptr);
    REQUIRE(stream.ok());
    REQUIRE(stream->accept(std::vector<uint8_t>(100)).ok());
    CHECK(scope.bytesLive() == 270);
  }
  CHECK(scope.bytesLive() == 0);
}

TEST_CASE("prepack stream: missing and surplus bytes are refused, and what is right goes on") {
  Scope scope("load");
  auto stream = PrepackStream::start(Encoding::Q4_0, Shape{2, 5, 96}, kKernel, scope, nullptr);
  REQUIRE(stream.ok());
  REQUIRE(stream->accept(std::vector<uint8_t>(539)).ok());
  const auto early = stream->finish();
  REQUIRE(codeOf(early) == ErrorCode::SIZE_MISMATCH);
  CHECK(early.error().message.find("1 bytes early") != std::string::npos);
  CHECK(codeOf(stream->accept(std::vector<uint8_t>(2))) == ErrorCode::SIZE_MISMATCH);
  REQUIRE(stream->accept(std::vector<uint8_t>(1)).ok());
  CHECK(stream->finish().ok());
}

TEST_CASE("prepack stream: a scope closed while the file is read is an error with its name") {
  Scope scope("load");
  auto stream = PrepackStream::start(Encoding::Q4_0, Shape{5, 96}, kKernel, scope, nullptr);
  REQUIRE(stream.ok());
  REQUIRE(stream->accept(std::vector<uint8_t>(100)).ok());
  scope.close();
  const auto late = stream->accept(std::vector<uint8_t>(1));
  REQUIRE(codeOf(late) == ErrorCode::SCOPE_CLOSED);
  CHECK(late.error().message.find("\"load\"") != std::string::npos);
}

TEST_CASE("prepack stream: shapes and sizes that cannot be are refused before anything is taken") {
  Scope scope("load", nullptr, 100);
  CHECK(codeOf(PrepackStream::start(Encoding::Q4_0, Shape{5, 95}, kKernel, scope, nullptr)) ==
        ErrorCode::NOT_BLOCK_DIVISIBLE);
  CHECK(codeOf(PrepackStream::start(Encoding::Q4_0, Shape{5, 96}, kKernel, scope, nullptr)) ==
        ErrorCode::OUT_OF_MEMORY);
  CHECK(scope.bytesLive() == 0);
}

TEST_CASE("prepack stream: what it made is a prepacked buffer like any other") {
  Scope scope("load");
  const auto canonical = realBlocks(Encoding::Q4_0, 16, 8);
  auto stream = PrepackStream::start(Encoding::Q4_0, Shape{8, 64}, kKernel, scope, nullptr);
  REQUIRE(stream.ok());
  REQUIRE(stream->accept(canonical).ok());
  const auto view = stream->finish();
  REQUIRE(view.ok());
  CHECK(codeOf(TensorView::of(view->storage(), Encoding::Q4_0, Shape{4, 128}, kKernel)) ==
        ErrorCode::RESHAPE_REFUSED);
}

}  // namespace packed
