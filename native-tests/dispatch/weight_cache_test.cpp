#include "dispatch/weight_cache.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>

#include "support/views.h"

namespace packed {
namespace {

using namespace oracle;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;
constexpr uint64_t kWeightBytes = 270;

TensorView weightIn(Scope& scope, uint32_t seed = 1) {
  return realView(scope, Encoding::Q4_0, {5, 96}, kRows, seed);
}

}  // namespace

TEST_CASE("cache: what was relaid from a scope leaves when the scope is closed, reset or ends") {
  TraceRing ring;
  WeightCache cache(1 << 20, &ring);
  Scope model("model");
  const TensorView kept = weightIn(model, 1);
  REQUIRE(cache.relaid(kept, kKernel).ok());
  for (int way = 0; way < 3; ++way) {
    std::optional<Scope> scope(std::in_place, "short");
    for (uint32_t seed = 2; seed < 5; ++seed) {
      REQUIRE(cache.relaid(weightIn(*scope, seed), kKernel).ok());
    }
    CHECK(cache.stats().bytes == 4 * kWeightBytes);
    ring.clear();
    if (way == 0) scope->close();
    if (way == 1) scope->reset();
    if (way == 2) scope.reset();
    CHECK(cache.stats().bytes == kWeightBytes);
    CHECK(cache.stats().entries == 1);
    REQUIRE(countOf(ring, TraceKind::CacheEvict) == 3);
    CHECK(countOf(ring, TraceKind::Free) == 3);
    CHECK(ring.events().front().reason == "its source is gone");
  }
  CHECK(cache.stats().evictions == 9);
  REQUIRE(cache.relaid(kept, kKernel).ok());
  CHECK(cache.stats().hits == 1);
}

TEST_CASE("cache: one storage of a scope that is given back takes its own copy along") {
  WeightCache cache(1 << 20);
  Scope scope("model");
  const TensorView a = weightIn(scope, 1), b = weightIn(scope, 2);
  REQUIRE(cache.relaid(a, kKernel).ok());
  REQUIRE(cache.relaid(b, kKernel).ok());
  REQUIRE(scope.release(*a.storage()).ok());
  CHECK(cache.stats().entries == 1);
  REQUIRE(cache.relaid(b, kKernel).ok());
  CHECK(cache.stats().hits == 1);
}

TEST_CASE("cache: copies of borrowed bytes leave with the last view of them") {
  WeightCache cache(1 << 20);
  const auto bytes = realBlocks(Encoding::Q4_0, 15, 1);
  {
    const auto storage = Storage::borrow(bytes);
    const TensorView w = *TensorView::of(storage, Encoding::Q4_0, Shape{5, 96}, kRows);
    REQUIRE(cache.relaid(w, kKernel).ok());
    CHECK(cache.stats().entries == 1);
  }
  CHECK(cache.stats().bytes == 0);
}

TEST_CASE("cache: what was relaid before its source was relaid in place leaves then") {
  WeightCache cache(1 << 20);
  Scope scope("model");
  const TensorView w = weightIn(scope);
  REQUIRE(cache.relaid(w, kKernel).ok());
  REQUIRE(prepackInPlace(w, kKernel, nullptr).ok());
  CHECK(cache.stats().bytes == 0);
}

TEST_CASE("cache: every cache of a weight lets go of it, and one that has ended is not asked") {
  WeightCache first(1 << 20);
  auto ended = std::make_unique<WeightCache>(1 << 20);
  WeightCache last(1 << 20);
  Scope scope("model");
  const TensorView w = weightIn(scope);
  for (WeightCache* cache : {&first, ended.get(), &last, &first}) {
    REQUIRE(cache->relaid(w, kKernel).ok());
  }
  ended.reset();
  scope.close();
  CHECK(first.stats().bytes == 0);
  CHECK(last.stats().bytes == 0);
  CHECK(codeOf(first.relaid(w, kKernel)) == ErrorCode::SCOPE_CLOSED);
}

TEST_CASE("cache: a copy of a copy leaves with it") {
  WeightCache cache(1 << 20);
  Scope scope("model");
  const TensorView w = weightIn(scope, 1), other = weightIn(scope, 2);
  REQUIRE(cache.relaid(other, kKernel).ok());
  const TensorView copy = *cache.relaid(w, kKernel);
  REQUIRE(cache.relaid(copy, kRows).ok());
  CHECK(cache.stats().entries == 3);
  REQUIRE(scope.release(*other.storage()).ok());
  REQUIRE(scope.release(*w.storage()).ok());
  CHECK(cache.stats().entries == 0);
  CHECK(cache.stats().bytes == 0);
}

}  // namespace packed
