#include "tensor/scope.h"

#include <doctest/doctest.h>

#include <set>

#include "support/views.h"
#include "tensor/prepack.h"

namespace packed {
namespace {
using namespace oracle;
}

TEST_CASE("scope: counts what it holds and what it held at most, and frees all when closed") {
  TraceRing ring;
  Scope scope("layer 3", &ring);
  const auto a = *scope.allocate(100, "a");
  const auto b = *scope.allocate(50, "b");
  CHECK(scope.bytesLive() == 150);
  REQUIRE(scope.release(*a).ok());
  CHECK(scope.bytesLive() == 50);
  CHECK(scope.bytesPeak() == 150);
  CHECK(scope.storageCount() == 1);
  scope.close();
  CHECK(scope.closed());
  CHECK(scope.bytesLive() == 0);
  CHECK(scope.storageCount() == 0);
  CHECK(!b->open());

  const auto events = ring.events();
  REQUIRE(events.size() == 4);
  CHECK(events[0].kind == TraceKind::Allocation);
  CHECK(events[0].what == "a");
  CHECK(events[0].scope == "layer 3");
  CHECK(events[0].bytes == 100);
  CHECK(events[2].kind == TraceKind::Free);
  CHECK(events[2].bytes == 100);
  CHECK(events[3].kind == TraceKind::Free);
  CHECK(events[3].bytes == 50);
}

TEST_CASE("scope: use after close is an error that names the scope") {
  Scope scope("layer 3");
  const TensorView view = realView(scope, Encoding::Q4_0, {5, 96}, BlockOrder::ROW_MAJOR);
  scope.close();
  scope.close();
  std::vector<float> values(480);
  std::vector<uint8_t> bytes(270);
  const auto late = view.get(Shape{0, 0});
  REQUIRE(codeOf(late) == ErrorCode::SCOPE_CLOSED);
  CHECK(late.error().message.find("\"layer 3\"") != std::string::npos);
  CHECK(codeOf(view.toFloats(values)) == ErrorCode::SCOPE_CLOSED);
  CHECK(codeOf(view.row(0, std::span(values).first(96))) == ErrorCode::SCOPE_CLOSED);
  CHECK(codeOf(view.copyBlocks(BlockOrder::ROW_MAJOR, bytes)) == ErrorCode::SCOPE_CLOSED);
  CHECK(codeOf(view.storage()->writableBytes()) == ErrorCode::SCOPE_CLOSED);
  CHECK(codeOf(view.narrow(0, 1, 2)) == ErrorCode::SCOPE_CLOSED);
  CHECK(codeOf(view.everyNth(0, 2)) == ErrorCode::SCOPE_CLOSED);
  CHECK(codeOf(view.slice(0)) == ErrorCode::SCOPE_CLOSED);
  CHECK(codeOf(view.transpose()) == ErrorCode::SCOPE_CLOSED);
  CHECK(codeOf(view.reshape(Shape{1, 5, 96})) == ErrorCode::SCOPE_CLOSED);
  CHECK(codeOf(planPrepack(view, BlockOrder::ROW_MAJOR)) == ErrorCode::SCOPE_CLOSED);
  const auto allocation = scope.allocate(1, "more");
  REQUIRE(codeOf(allocation) == ErrorCode::SCOPE_CLOSED);
  CHECK(allocation.error().message.find("\"layer 3\"") != std::string::npos);
}

TEST_CASE("scope: a view outlives its scope as an error, not as a read of freed memory") {
  std::optional<TensorView> view;
  {
    Scope scope("short");
    view = realView(scope, Encoding::Q4_0, {5, 96}, BlockOrder::ROW_MAJOR);
  }
  CHECK(codeOf(view->get(Shape{0, 0})) == ErrorCode::SCOPE_CLOSED);
}

TEST_CASE("scope: reset gives everything back and the scope can be used again") {
  TraceRing ring;
  Scope scope("step", &ring);
  const auto before = *scope.allocate(64, "adapter");
  scope.reset();
  CHECK(!before->open());
  CHECK(scope.bytesLive() == 0);
  const auto after = scope.allocate(32, "adapter");
  REQUIRE(after.ok());
  CHECK((*after)->bytes().ok());
  CHECK(countOf(ring, TraceKind::ScopeReset) == 1);
  CHECK(ring.events()[1].bytes == 64);
}

TEST_CASE("scope: releases in any sequence, and refuses what it does not own") {
  Scope scope("mine");
  Scope other("other");
  std::vector<std::shared_ptr<Storage>> storages;
  for (uint64_t i = 1; i <= 20; ++i) storages.push_back(*scope.allocate(i, "test"));
  std::mt19937 random(5);
  std::shuffle(storages.begin(), storages.end(), random);
  uint64_t live = scope.bytesLive();
  for (const auto& storage : storages) {
    CHECK(codeOf(other.release(*storage)) == ErrorCode::INVALID_ARGUMENT);
    live -= storage->size();
    REQUIRE(scope.release(*storage).ok());
    CHECK(scope.bytesLive() == live);
    CHECK(codeOf(scope.release(*storage)) == ErrorCode::INVALID_ARGUMENT);
  }
  CHECK(scope.storageCount() == 0);
}

TEST_CASE("scope: more than its limit is refused and changes nothing") {
  Scope scope("page", nullptr, 100);
  REQUIRE(scope.allocate(60, "a").ok());
  const auto refused = scope.allocate(41, "b");
  REQUIRE(codeOf(refused) == ErrorCode::OUT_OF_MEMORY);
  CHECK(refused.error().actual == "60 of at most 100 bytes");
  CHECK(scope.bytesLive() == 60);
  CHECK(scope.storageCount() == 1);
  CHECK(scope.allocate(40, "c").ok());
  CHECK(codeOf(scope.allocate(UINT64_MAX, "d")) != ErrorCode::SCOPE_CLOSED);
}

TEST_CASE("scope: sizes that no machine can address are refused") {
  Scope scope("big");
  CHECK(codeOf(scope.allocate(UINT64_MAX, "all of it")) == ErrorCode::SIZE_OVERFLOW);
  CHECK(codeOf(scope.allocate(uint64_t{1} << 63, "half of it")) == ErrorCode::SIZE_OVERFLOW);
  CHECK(scope.bytesLive() == 0);
}

TEST_CASE("scope: 100,000 create and dispose cycles leave nothing behind") {
  Scope scope("loop");
  const TensorView weight = realView(scope, Encoding::Q4_0, {2, 64}, BlockOrder::ROW_MAJOR);
  for (int i = 0; i < 100000; ++i) {
    Scope inner("adapter");
    const auto storage = scope.allocate(72, "cycle");
    REQUIRE(storage.ok());
    REQUIRE(inner.allocate(72, "cycle").ok());
    REQUIRE(scope.release(**storage).ok());
  }
  CHECK(scope.bytesLive() == weight.packedSize());
  CHECK(scope.storageCount() == 1);
}

TEST_CASE("storage: identities never repeat, and the version grows with each announced change") {
  std::set<uint64_t> identities;
  for (int i = 0; i < 1000; ++i) {
    Scope scope("short");  // the allocator will hand the same address out again and again
    CHECK(identities.insert((*scope.allocate(64, "test"))->identity()).second);
  }
  Scope scope("test");
  const auto storage = *scope.allocate(64, "test");
  const uint64_t first = storage->version();
  REQUIRE(storage->bytes().ok());
  CHECK(storage->version() == first);
  REQUIRE(storage->writableBytes().ok());
  CHECK(storage->version() == first + 1);
  storage->markChanged();
  CHECK(storage->version() == first + 2);
}

TEST_CASE("storage: an empty one is a storage like any other") {
  Scope scope("test");
  const auto storage = scope.allocate(0, "nothing");
  REQUIRE(storage.ok());
  CHECK((*storage)->bytes()->empty());
  CHECK(scope.storageCount() == 1);
}

}  // namespace packed
