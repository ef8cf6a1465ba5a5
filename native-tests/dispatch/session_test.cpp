#include "dispatch/session.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/kernels.h"
#include "support/views.h"

namespace packed {
namespace {

using namespace oracle;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

struct Bench {
  TraceRing ring;
  Registry registry = Registry::upTo(builtIsa());
  Scope scope{"weights"};
  std::vector<float> x = randomFloats(96, 1);
  std::vector<float> y = std::vector<float>(5);

  TensorView weight(uint32_t seed) { return realView(scope, Encoding::Q4_0, {5, 96}, kRows, seed); }
  Session session(uint64_t cacheBytes) {
    SessionOptions options;
    options.cacheBytes = cacheBytes;
    options.sink = &ring;
    return Session(registry, options);
  }
};

constexpr uint64_t kWeightBytes = 270;

}  // namespace

TEST_CASE("session: 200 weights used in turn within the budget are relaid once each") {
  Bench bench;
  std::vector<TensorView> weights;
  for (uint32_t i = 0; i < 200; ++i) weights.push_back(bench.weight(i));
  Session session = bench.session(200 * kWeightBytes);
  for (int turn = 0; turn < 5; ++turn) {
    for (const TensorView& w : weights) {
      REQUIRE(session.matmulWeightTransposed(bench.x, w, bench.y).ok());
    }
  }
  CHECK(session.stats().misses == 200);
  CHECK(session.stats().hits == 800);
  CHECK(session.stats().evictions == 0);
  CHECK(session.stats().entries == 200);
  CHECK(session.stats().bytes == 200 * kWeightBytes);
  CHECK(countOf(bench.ring, TraceKind::AdapterInserted) == 200);
  CHECK(countOf(bench.ring, TraceKind::CacheMiss) == 200);
  CHECK(countOf(bench.ring, TraceKind::CacheHit) == 800);
}

TEST_CASE("session: the result is the product, by a kernel for the kernel order") {
  Bench bench;
  Session session = bench.session(1 << 20);
  const TensorView w = bench.weight(3);
  for (int use = 0; use < 2; ++use) {
    bench.ring.clear();
    REQUIRE(session.matmulWeightTransposed(bench.x, w, bench.y).ok());
    const auto events = bench.ring.events();
    CHECK(events.front().kind == (use == 0 ? TraceKind::CacheMiss : TraceKind::CacheHit));
    CHECK(events.back().kind == TraceKind::KernelRun);
    CHECK(events.back().target.find("blocked_input_major") != std::string::npos);
    std::vector<float> expected(5);
    Workspace workspace;
    REQUIRE(matmul(bench.registry, workspace, bench.x, w, expected, {}).ok());
    CHECK(sameBits(bench.y, expected));
  }
}

TEST_CASE("session: the least recently used leaves first, and never more than the budget is held") {
  Bench bench;
  const TensorView a = bench.weight(1), b = bench.weight(2), c = bench.weight(3);
  Session session = bench.session(2 * kWeightBytes + 10);
  const auto use = [&](const TensorView& w) {
    bench.ring.clear();
    REQUIRE(session.matmulWeightTransposed(bench.x, w, bench.y).ok());
    CHECK(session.stats().bytes <= 2 * kWeightBytes + 10);
    return bench.ring.events().front().kind == TraceKind::CacheHit;
  };
  CHECK(!use(a));
  CHECK(!use(b));
  CHECK(use(a));
  CHECK(!use(c));  // evicts b
  REQUIRE(countOf(bench.ring, TraceKind::CacheEvict) == 1);
  CHECK(use(a));
  CHECK(use(c));
  CHECK(!use(b));  // evicts a
  CHECK(use(c));
  CHECK(session.stats().evictions == 2);
}

TEST_CASE("session: bytes that were edited are relaid anew") {
  Bench bench;
  Session session = bench.session(1 << 20);
  const TensorView w = bench.weight(1);
  REQUIRE(session.matmulWeightTransposed(bench.x, w, bench.y).ok());
  const auto before = bench.y;
  {
    auto bytes = w.storage()->writableBytes();
    REQUIRE(bytes.ok());
    const auto other = realBlocks(Encoding::Q4_0, 15, 77);
    std::copy(other.begin(), other.end(), bytes->begin());
  }
  bench.ring.clear();
  REQUIRE(session.matmulWeightTransposed(bench.x, w, bench.y).ok());
  CHECK(bench.y != before);
  std::vector<float> expected(5);
  Workspace workspace;
  REQUIRE(matmul(bench.registry, workspace, bench.x, w, expected, {}).ok());
  CHECK(sameBits(bench.y, expected));
  CHECK(countOf(bench.ring, TraceKind::CacheEvict) == 1);
  CHECK(session.stats().entries == 1);
  CHECK(session.stats().misses == 2);
}

TEST_CASE("session: edits of borrowed bytes count once they are announced") {
  Bench bench;
  Session session = bench.session(1 << 20);
  auto bytes = realBlocks(Encoding::Q4_0, 15, 1);
  const auto storage = Storage::borrow(bytes);
  const TensorView w = *TensorView::of(storage, Encoding::Q4_0, Shape{5, 96}, kRows);
  REQUIRE(session.matmulWeightTransposed(bench.x, w, bench.y).ok());
  const auto other = realBlocks(Encoding::Q4_0, 15, 2);
  std::copy(other.begin(), other.end(), bytes.begin());
  storage->markChanged();
  REQUIRE(session.matmulWeightTransposed(bench.x, w, bench.y).ok());
  CHECK(session.stats().misses == 2);
}

TEST_CASE("session: a freed address that is handed out again is another weight") {
  Bench bench;
  Session session = bench.session(1 << 20);
  std::vector<float> last;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Scope scope("one use");
    const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows, seed);
    REQUIRE(session.matmulWeightTransposed(bench.x, w, bench.y).ok());
    CHECK(bench.y != last);
    last = bench.y;
  }
  CHECK(session.stats().hits == 0);
}

TEST_CASE("session: weights whose source is gone make room before those in use") {
  Bench bench;
  Session session = bench.session(2 * kWeightBytes);
  const TensorView kept = bench.weight(1);
  REQUIRE(session.matmulWeightTransposed(bench.x, kept, bench.y).ok());
  {
    Scope scope("short");
    const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows, 2);
    REQUIRE(session.matmulWeightTransposed(bench.x, w, bench.y).ok());
  }
  REQUIRE(session.matmulWeightTransposed(bench.x, bench.weight(3), bench.y).ok());
  REQUIRE(session.matmulWeightTransposed(bench.x, kept, bench.y).ok());
  CHECK(session.stats().hits == 1);
}

TEST_CASE("session: parts of one weight are weights of their own") {
  Bench bench;
  Session session = bench.session(1 << 20);
  const TensorView w = realView(bench.scope, Encoding::Q4_0, {10, 96}, kRows);
  for (int turn = 0; turn < 2; ++turn) {
    for (const uint64_t from : {uint64_t{0}, uint64_t{5}}) {
      const TensorView part = *w.narrow(0, from, 5);
      REQUIRE(session.matmulWeightTransposed(bench.x, part, bench.y).ok());
      std::vector<float> expected(5);
      Workspace workspace;
      REQUIRE(matmul(bench.registry, workspace, bench.x, part, expected, {}).ok());
      CHECK(sameBits(bench.y, expected));
    }
  }
  CHECK(session.stats().misses == 2);
  CHECK(session.stats().hits == 2);
}

TEST_CASE("session: parts of one weight, used in any sequence, leave and come back as themselves") {
  Bench bench;
  constexpr uint64_t kParts = 40, kKept = 7;
  const TensorView w = realView(bench.scope, Encoding::Q4_0, {5 * kParts, 96}, kRows);
  std::vector<std::vector<float>> expected(kParts, std::vector<float>(5));
  Workspace workspace;
  const auto part = [&](uint64_t i) { return *w.narrow(0, 5 * i, 5); };
  for (uint64_t i = 0; i < kParts; ++i) {
    REQUIRE(matmul(bench.registry, workspace, bench.x, part(i), expected[i], {}).ok());
  }
  Session session = bench.session(kKept * kWeightBytes);
  uint32_t state = 1;
  std::vector<uint64_t> recent;  // most recently used first
  for (uint64_t turn = 0; turn < 2000; ++turn) {
    state = state * 1664525u + 1013904223u;
    // Half of the uses are of what may still be there.
    const uint64_t i = (state >> 16) % (turn % 2 == 0 ? kParts : kKept + 2);
    const uint64_t hits = session.stats().hits;
    REQUIRE(session.matmulWeightTransposed(bench.x, part(i), bench.y).ok());
    CHECK(sameBits(bench.y, expected[i]));
    const auto found = std::find(recent.begin(), recent.end(), i);
    CHECK((session.stats().hits > hits) == (found != recent.end()));
    if (found != recent.end()) recent.erase(found);
    recent.insert(recent.begin(), i);
    if (recent.size() > kKept) recent.pop_back();
    CHECK(session.stats().entries == recent.size());
  }
}

TEST_CASE("session: what does not fit the cache is multiplied as it lies, and said") {
  Bench bench;
  Session session = bench.session(kWeightBytes - 1);
  REQUIRE(session.matmulWeightTransposed(bench.x, bench.weight(1), bench.y).ok());
  const auto events = bench.ring.events();
  CHECK(events.front().kind == TraceKind::CacheMiss);
  CHECK(events.front().reason == "larger than the whole cache");
  CHECK(events.back().target.find("blocked_row_major") != std::string::npos);
  CHECK(session.stats().bytes == 0);
}

TEST_CASE("session: what needs no relayout takes none of the cache") {
  Bench bench;
  Session session = bench.session(1 << 20);
  const TensorView fed = realView(bench.scope, Encoding::Q4_0, {5, 96}, kKernel);
  const TensorView plain = realView(bench.scope, Encoding::F32, {5, 96}, kRows);
  REQUIRE(session.matmulWeightTransposed(bench.x, fed, bench.y).ok());
  REQUIRE(session.matmulWeightTransposed(bench.x, plain, bench.y).ok());
  CHECK(session.stats().misses == 0);
  CHECK(session.stats().bytes == 0);
}

TEST_CASE("session: without a kernel to relay for nothing is relaid") {
  Registry registry;
  TraceRing ring;
  SessionOptions options;
  options.sink = &ring;
  Session session(registry, options);
  Bench bench;
  REQUIRE(session.matmulWeightTransposed(bench.x, bench.weight(1), bench.y).ok());
  CHECK(countOf(ring, TraceKind::AdapterInserted) == 0);
  CHECK(countOf(ring, TraceKind::ReferenceUsed) == 1);
}

TEST_CASE("session: a refused call relays nothing and pushes nothing out") {
  Bench bench;
  Session session = bench.session(kWeightBytes);
  const TensorView w = bench.weight(1);
  REQUIRE(session.matmulWeightTransposed(bench.x, w, bench.y).ok());
  const TensorView other = bench.weight(2);
  std::vector<float> tooShort(4);
  CHECK(codeOf(session.matmulWeightTransposed(bench.x, other, tooShort)) ==
        ErrorCode::SHAPE_MISMATCH);
  CHECK(session.stats().evictions == 0);
  const TensorView square = realView(bench.scope, Encoding::Q4_0, {96, 96}, kRows);
  std::vector<float> y(96);
  CHECK(codeOf(session.matmulWeightTransposed(bench.x, *square.transpose(), y)) ==
        ErrorCode::TRANSPOSE_REFUSED);
  CHECK(session.stats().entries == 1);
}

TEST_CASE("session: clear empties the cache and it can be used again") {
  Bench bench;
  Session session = bench.session(1 << 20);
  const TensorView w = bench.weight(1);
  REQUIRE(session.matmulWeightTransposed(bench.x, w, bench.y).ok());
  session.clear();
  CHECK(session.stats().bytes == 0);
  CHECK(session.stats().entries == 0);
  REQUIRE(session.matmulWeightTransposed(bench.x, w, bench.y).ok());
  CHECK(session.stats().misses == 2);
}

}  // namespace packed
