#include "base/row_bringing.h"

#include <doctest/doctest.h>

namespace packed {
namespace {

// Of so many stretches, how many were brought, on a machine where a stretch takes so long each way.
int broughtOf(RowBringing& bringing, int stretches, uint64_t asItLies, uint64_t brought) {
  int count = 0;
  for (int i = 0; i < stretches; ++i) {
    const bool bring = bringing.next();
    count += bring;
    bringing.took(bring, 1 << 20, bring ? brought : asItLies);
  }
  return count;
}

}  // namespace

TEST_CASE("rows are brought where that is faster, and left where it is not") {
  for (const uint64_t stretch : {20'000u, 300'000u, 40'000'000u}) {
    CAPTURE(stretch);
    RowBringing helps, hinders;
    broughtOf(helps, 1000, 2 * stretch, stretch);
    broughtOf(hinders, 1000, stretch, 2 * stretch);
    CHECK(broughtOf(helps, 320, 2 * stretch, stretch) == 310);
    CHECK(broughtOf(hinders, 320, stretch, 2 * stretch) == 10);
  }
}

TEST_CASE("rows are brought by turns as long as a clock of long steps has told nothing") {
  RowBringing bringing;
  CHECK(broughtOf(bringing, 100, 0, 0) == 50);
}

TEST_CASE("rows: what disturbed one way once does not decide for good") {
  RowBringing bringing;
  broughtOf(bringing, 4, 2'000'000, 30'000'000);
  broughtOf(bringing, 2000, 2'000'000, 1'000'000);
  CHECK(broughtOf(bringing, 320, 2'000'000, 1'000'000) == 310);
}

TEST_CASE("rows are walked once each, in their sequence, and brought only where they may be") {
  for (const uint64_t rows : {0u, 1u, 1023u, 1024u, 1025u, 10'000u}) {
    for (const bool mayBring : {false, true}) {
      CAPTURE(rows);
      CAPTURE(mayBring);
      RowBringing bringing;
      uint64_t next = 0;
      bool brought = false;
      bringing.walk(rows, 1, mayBring, [&](uint64_t from, uint64_t end, bool bring) {
        CHECK(from == next);
        next = end;
        brought |= bring;
      });
      CHECK(next == rows);
      CHECK(brought == (mayBring && rows > 0));
    }
  }
}

}  // namespace packed
