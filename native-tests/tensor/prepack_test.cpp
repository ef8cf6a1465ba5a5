#include "tensor/prepack.h"

#include <doctest/doctest.h>

#include "support/views.h"

namespace packed {
namespace {

using namespace oracle;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

TensorView prepacked(const TensorView& view, BlockOrder order, Scope& scope) {
  auto made = prepack(view, order, scope, nullptr);
  REQUIRE(made.ok());
  return *made;
}

}  // namespace

TEST_CASE("prepack: there and back is byte-identical and means the same, for every encoding") {
  for (const EncodingSpec& spec : allEncodings()) {
    CAPTURE(spec.name);
    Scope scope("test");
    const auto canonical = anyBlocks(spec.encoding, 2 * 5 * 3, 6);
    const TensorView stored =
        viewOf(scope, spec.encoding, {2, 5, 3 * spec.elements}, canonical, kRows);
    const TensorView fed = prepacked(stored, kKernel, scope);
    CHECK(fed.order() == kKernel);
    CHECK(fed.shape() == stored.shape());
    const auto bytes = *fed.storageBytes();
    CHECK(std::vector<uint8_t>(bytes.begin(), bytes.end()) ==
          inOrder(canonical, 2, {5, 3}, spec.bytes, kKernel));
    CHECK(sameBits(floatsOf(fed), floatsOf(stored)));
    const auto back = *prepacked(fed, kRows, scope).storageBytes();
    CHECK(std::vector<uint8_t>(back.begin(), back.end()) == canonical);
  }
}

TEST_CASE("prepack: the order it has already is the same view, without an event or a byte") {
  TraceRing ring;
  Scope scope("test", &ring);
  for (const BlockOrder order : {kRows, kKernel}) {
    const TensorView view = realView(scope, Encoding::Q4_0, {5, 96}, order);
    ring.clear();
    const auto same = prepack(view, order, scope, &ring);
    REQUIRE(same.ok());
    CHECK(same->storage() == view.storage());
    CHECK(same->layout() == view.layout());
    CHECK(ring.events().empty());
  }
}

TEST_CASE("prepack: one event tells kind, orders, bytes, target, scope and time") {
  TraceRing ring;
  Scope scope("layer 3");
  const TensorView view = realView(scope, Encoding::Q4_K, {4, 768}, kRows);
  REQUIRE(prepack(view, kKernel, scope, &ring).ok());
  REQUIRE(ring.events().size() == 1);
  const TraceEvent event = ring.events()[0];
  CHECK(event.kind == TraceKind::AdapterInserted);
  CHECK(event.what == "prepack-input_block_major");
  CHECK(event.from == "ROW_MAJOR");
  CHECK(event.to == "INPUT_BLOCK_MAJOR");
  CHECK(event.bytes == 1728);
  CHECK(event.target == "Q4_K [4, 768]");
  CHECK(event.scope == "layer 3");
  CHECK(event.startNanos > 0);
  CHECK(event.nanos > 0);
  const TensorView fed = prepacked(view, kKernel, scope);
  ring.clear();
  REQUIRE(prepack(fed, kRows, scope, &ring).ok());
  CHECK(ring.events()[0].what == "prepack-row_major");
}

TEST_CASE("prepack: the bytes are owned and counted by the scope") {
  Scope source("source");
  Scope target("target");
  const TensorView view = realView(source, Encoding::Q4_0, {5, 96}, kRows);
  const TensorView fed = prepacked(view, kKernel, target);
  CHECK(target.bytesLive() == 270);
  target.close();
  CHECK(codeOf(fed.get(Shape{0, 0})) == ErrorCode::SCOPE_CLOSED);
  CHECK(view.get(Shape{0, 0}).ok());
}

TEST_CASE("prepack: works on narrowed, stepped and sliced views of either order") {
  for (const BlockOrder order : {kRows, kKernel}) {
    Scope scope("test");
    const TensorView whole = realView(scope, Encoding::Q4_0, {3, 7, 160}, order);
    const TensorView parts[] = {
        *whole.narrow(1, 2, 4),
        *whole.narrow(2, 32, 96),
        *whole.everyNth(1, 3),
        *whole.slice(2),
        *(*(*whole.slice(1)).narrow(0, 1, 5)).narrow(1, 64, 64),
        *whole.narrow(0, 1, 2),
        *whole.narrow(1, 3, 0),
    };
    for (const TensorView& part : parts) {
      const TensorView there = prepacked(part, otherOrder(order), scope);
      CHECK(there.layout().gapFree());
      CHECK(sameBits(floatsOf(there), floatsOf(part)));
      const TensorView back = prepacked(there, order, scope);
      CHECK(bytesOf(back, kRows) == bytesOf(part, kRows));
      const auto dense = compact(part, scope, nullptr);
      REQUIRE(dense.ok());
      CHECK(dense->layout().gapFree());
      CHECK(dense->order() == part.order());
      CHECK(sameBits(floatsOf(*dense), floatsOf(part)));
    }
  }
}

TEST_CASE("prepack: a transposed view is refused clearly, and the refusal is seen") {
  TraceRing ring;
  Scope scope("test");
  const TensorView view = realView(scope, Encoding::Q4_0, {32, 32}, kRows);
  const TensorView turned = *view.transpose();
  for (const BlockOrder order : {kRows, kKernel}) {
    const auto refused = prepack(turned, order, scope, &ring);
    REQUIRE(codeOf(refused) == ErrorCode::NOT_BLOCKED);
    CHECK(refused.error().message.find("transposed view") != std::string::npos);
    CHECK(codeOf(prepackInPlace(turned, order, &ring)) == ErrorCode::NOT_BLOCKED);
  }
  CHECK(countOf(ring, TraceKind::Refused) == 4);
}

TEST_CASE("prepack: a failed allocation is an error and leaves everything as it was") {
  TraceRing ring;
  Scope source("source");
  Scope small("small", &ring, 269);
  const TensorView view = realView(source, Encoding::Q4_0, {5, 96}, kRows);
  const auto before = floatsOf(view);
  const auto refused = prepack(view, kKernel, small, &ring);
  REQUIRE(codeOf(refused) == ErrorCode::OUT_OF_MEMORY);
  CHECK(small.bytesLive() == 0);
  CHECK(small.storageCount() == 0);
  CHECK(sameBits(floatsOf(view), before));
  REQUIRE(ring.events().size() == 1);
  CHECK(ring.events()[0].what == "OUT_OF_MEMORY");
}

TEST_CASE("prepack: a closed source leaves nothing in the target") {
  Scope source("source");
  Scope target("target");
  const TensorView view = realView(source, Encoding::Q4_0, {5, 96}, kRows);
  source.close();
  CHECK(codeOf(prepack(view, kKernel, target, nullptr)) == ErrorCode::SCOPE_CLOSED);
  CHECK(target.bytesLive() == 0);
}

TEST_CASE("prepack: the plan says before what it will cost") {
  Scope scope("test");
  const TensorView view = realView(scope, Encoding::Q4_0, {2, 5, 96}, kRows);
  const RelayoutPlan plan = *planPrepack(view, kKernel);
  CHECK(plan.needed);
  CHECK(plan.bytes == 540);
  CHECK(plan.scratchBytes == 15 / 8 + 1 + 18);
  CHECK(!planPrepack(view, kRows)->needed);
  CHECK(planPrepack(view, kRows)->bytes == 0);
  Scope target("target");
  REQUIRE(prepack(view, kKernel, target, nullptr).ok());
  CHECK(target.bytesPeak() == plan.bytes);
}

TEST_CASE("prepack in place: the same bytes as a copy, without a second buffer, stacks included") {
  for (const Shape& shape : {Shape{5, 96}, Shape{1, 96}, Shape{4, 32}, Shape{3, 5, 96},
                             Shape{2, 2, 3, 96}, Shape{96}, Shape{0, 96}}) {
    TraceRing ring;
    Scope scope("test");
    Scope copies("copies");
    const TensorView view = realView(scope, Encoding::Q4_0, shape, kRows);
    const auto values = floatsOf(view);
    const TensorView copy = prepacked(view, kKernel, copies);
    const uint64_t live = scope.bytesLive();
    const auto here = prepackInPlace(view, kKernel, &ring);
    REQUIRE(here.ok());
    CHECK(here->storage() == view.storage());
    CHECK(scope.bytesLive() == live);
    CHECK(bytesOf(*here, kKernel) == bytesOf(copy, kKernel));
    CHECK(sameBits(floatsOf(*here), values));
    REQUIRE(ring.events().size() == 1);
    CHECK(ring.events()[0].scope == "in place");
    const auto back = prepackInPlace(*here, kRows, nullptr);
    REQUIRE(back.ok());
    CHECK(sameBits(floatsOf(*back), values));
  }
}

TEST_CASE("prepack in place: a view made before is refused instead of reading the wrong order") {
  Scope scope("test");
  const TensorView view = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  const TensorView part = *view.narrow(0, 1, 2);
  const uint64_t version = view.storage()->version();
  const auto here = prepackInPlace(view, kKernel, nullptr);
  REQUIRE(here.ok());
  CHECK(view.storage()->version() > version);
  std::vector<float> values(480);
  CHECK(codeOf(view.toFloats(values)) == ErrorCode::STALE_VIEW);
  CHECK(codeOf(part.get(Shape{0, 0})) == ErrorCode::STALE_VIEW);
  CHECK(codeOf(prepack(view, kKernel, scope, nullptr)) == ErrorCode::STALE_VIEW);
  CHECK(codeOf(prepackInPlace(view, kKernel, nullptr)) == ErrorCode::STALE_VIEW);
  CHECK((*here->narrow(0, 1, 2)).get(Shape{0, 0}).ok());
}

TEST_CASE("prepack in place: a part of a storage, or borrowed bytes, are refused") {
  Scope scope("test");
  const TensorView view = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  const TensorView rows = *view.narrow(0, 0, 4);  // gap-free, but not all of it
  CHECK(codeOf(prepackInPlace(rows, kKernel, nullptr)) == ErrorCode::NOT_BLOCKED);
  CHECK(codeOf(prepackInPlace(*view.narrow(1, 0, 64), kKernel, nullptr)) == ErrorCode::NOT_BLOCKED);
  const auto bytes = anyBlocks(Encoding::Q4_0, 15, 1);
  const TensorView borrowed =
      *TensorView::of(Storage::borrow(bytes), Encoding::Q4_0, Shape{5, 96}, kRows);
  CHECK(codeOf(prepackInPlace(borrowed, kKernel, nullptr)) == ErrorCode::WRITE_REFUSED);
  CHECK(floatsOf(view).size() == 480);
}

TEST_CASE("prepack: a prepacked buffer is not to be seen under another shape, order or encoding") {
  Scope scope("test");
  const TensorView stored = realView(scope, Encoding::Q4_0, {8, 4, 64}, kRows);
  const TensorView fed = prepacked(stored, kKernel, scope);
  const auto seen = [&](Encoding encoding, const Shape& shape, BlockOrder order) {
    return TensorView::of(fed.storage(), encoding, shape, order);
  };
  const auto joinedRows = seen(Encoding::Q4_0, {32, 64}, kKernel);
  REQUIRE(codeOf(joinedRows) == ErrorCode::RESHAPE_REFUSED);
  CHECK(joinedRows.error().message.find("view of a prepacked buffer with another shape") == 0);
  CHECK(joinedRows.error().expected == "8 x 4 x 2 blocks of Q4_0 in INPUT_BLOCK_MAJOR");
  CHECK(codeOf(seen(Encoding::Q4_0, {8, 4, 64}, kRows)) == ErrorCode::RESHAPE_REFUSED);
  CHECK(codeOf(seen(Encoding::IQ4_NL, {8, 4, 64}, kKernel)) == ErrorCode::RESHAPE_REFUSED);
  CHECK(codeOf(fed.reshape(Shape{32, 64})) == ErrorCode::RESHAPE_REFUSED);
  CHECK(seen(Encoding::Q4_0, {8, 4, 64}, kKernel).ok());
  CHECK(seen(Encoding::Q4_0, {2, 4, 4, 64}, kKernel).ok());
  CHECK(fed.reshape(Shape{2, 4, 4, 64}).ok());
}

}  // namespace packed
