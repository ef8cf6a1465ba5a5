#include "tensor/trace.h"

#include <doctest/doctest.h>

namespace packed {
namespace {

TraceEvent numbered(uint64_t number) {
  TraceEvent event;
  event.bytes = number;
  return event;
}

}  // namespace

TEST_CASE("trace: a ring keeps the newest events, oldest first, and counts what it dropped") {
  for (std::size_t capacity = 0; capacity <= 5; ++capacity) {
    TraceRing ring(capacity);
    for (uint64_t total = 1; total <= 12; ++total) {
      ring.record(numbered(total));
      const auto events = ring.events();
      REQUIRE(events.size() == std::min<uint64_t>(capacity, total));
      REQUIRE(ring.dropped() == total - events.size());
      for (std::size_t i = 0; i < events.size(); ++i) {
        REQUIRE(events[i].bytes == total - events.size() + 1 + i);
      }
    }
    ring.clear();
    CHECK(ring.events().empty());
    CHECK(ring.dropped() == 0);
    ring.record(numbered(99));
    CHECK(ring.events().size() == std::min<std::size_t>(capacity, 1));
  }
}

TEST_CASE("trace: a callback sees every event as it happens") {
  std::vector<uint64_t> seen;
  TraceCallback callback([&](const TraceEvent& event) { seen.push_back(event.bytes); });
  callback.record(numbered(1));
  callback.record(numbered(2));
  CHECK(seen == std::vector<uint64_t>{1, 2});
}

TEST_CASE("trace: every kind has the name of the page") {
#define X(kind, meaning) CHECK(nameOf(TraceKind::kind) == #kind);
#include "tensor/trace_events.inc"
#undef X
}

TEST_CASE("trace: a refusal is told with its code and handed on; without a sink it is handed on") {
  TraceRing ring;
  const Error error = refused(&ring, refuse(ErrorCode::NOT_BLOCKED, "no"));
  CHECK(error.code == ErrorCode::NOT_BLOCKED);
  REQUIRE(ring.events().size() == 1);
  CHECK(ring.events()[0].kind == TraceKind::Refused);
  CHECK(ring.events()[0].what == "NOT_BLOCKED");
  CHECK(ring.events()[0].reason == "no");
  CHECK(refused(nullptr, refuse(ErrorCode::NOT_BLOCKED, "no")).message == "no");
}

}  // namespace packed
