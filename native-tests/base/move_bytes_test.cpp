#include "base/move_bytes.h"

#include <doctest/doctest.h>

#include <vector>

using namespace packed;

TEST_CASE("moveBytes: what std::memmove does, for all sizes and ways to overlap") {
  constexpr std::size_t kMost = 200;
  std::vector<uint8_t> start(2 * kMost + 400);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<uint8_t>(i * 7 + i / 256);
  for (std::size_t size = 0; size <= kMost; ++size) {
    for (const std::size_t to : {0u, 1u, 8u, 63u, 64u, 65u, 99u, 100u, 101u, 116u, 164u, 300u}) {
      CAPTURE(size);
      CAPTURE(to);
      auto moved = start;
      auto wanted = start;
      moveBytes(moved.data() + to, moved.data() + 100, size);
      std::memmove(wanted.data() + to, wanted.data() + 100, size);
      REQUIRE(moved == wanted);
    }
  }
}
