#include "base/faster_way.h"

#include <doctest/doctest.h>

namespace packed {
namespace {

// Of so many stretches, how many go the second way, where a stretch takes so long each way.
int secondOf(FasterWay& way, int stretches, uint64_t firstNanos, uint64_t secondNanos) {
  int count = 0;
  for (int i = 0; i < stretches; ++i) {
    const bool second = way.next();
    count += second;
    way.took(second, 1 << 20, second ? secondNanos : firstNanos);
  }
  return count;
}

}  // namespace

TEST_CASE("faster way: the one that is, whether first or second") {
  for (const uint64_t stretch : {20'000u, 300'000u, 40'000'000u}) {
    CAPTURE(stretch);
    FasterWay helps, hinders;
    secondOf(helps, 1000, 2 * stretch, stretch);
    secondOf(hinders, 1000, stretch, 2 * stretch);
    CHECK(secondOf(helps, 320, 2 * stretch, stretch) == 300);
    CHECK(secondOf(hinders, 320, stretch, 2 * stretch) == 20);
  }
}

TEST_CASE("faster way: by turns as long as a clock of long steps has told nothing") {
  FasterWay way;
  CHECK(secondOf(way, 100, 0, 0) == 50);
}

TEST_CASE("faster way: what disturbed one once does not decide for good") {
  FasterWay way;
  secondOf(way, 4, 2'000'000, 30'000'000);
  secondOf(way, 2000, 2'000'000, 1'000'000);
  CHECK(secondOf(way, 320, 2'000'000, 1'000'000) == 300);
}

TEST_CASE(
    "faster way: rows are walked once each, in their sequence, the first way where there is no "
    "other") {
  for (const uint64_t rows : {0u, 1u, 1023u, 1024u, 1025u, 10'000u}) {
    for (const bool hasSecond : {false, true}) {
      CAPTURE(rows);
      CAPTURE(hasSecond);
      FasterWay way;
      uint64_t next = 0;
      bool second = false;
      way.walk(rows, 4096, hasSecond, [&](uint64_t from, uint64_t end, bool other) {
        CHECK(from == next);
        next = end;
        second |= other;
      });
      CHECK(next == rows);
      CHECK(second == (hasSecond && rows > 1));
    }
  }
}

TEST_CASE("faster ways: one for weights of about each size, the largest together") {
  FasterWays ways;
  constexpr uint64_t kMega = 1 << 20;
  CHECK(&ways.forWeight(0) == &ways.forWeight(kMega - 1));
  for (uint64_t megas = 1; megas <= 256; megas *= 2) {
    CAPTURE(megas);
    CHECK(&ways.forWeight(megas * kMega) == &ways.forWeight(2 * megas * kMega - 1));
    CHECK(&ways.forWeight(megas * kMega) != &ways.forWeight(megas * kMega - 1));
  }
  CHECK(&ways.forWeight(256 * kMega) == &ways.forWeight(UINT64_MAX));
}

}  // namespace packed
