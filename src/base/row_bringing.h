// Whether rows should come into the caches before a loop goes down them, found out while working.
//
// It is the machine's affair: where it does not see steps from page to page coming, bringing rows
// (base/cache.h) makes a comparison of two orders up to 1.8 times as fast (measured on Zen 4);
// where it does (Zen 5), it only costs a third. So stretches of rows go both ways by turns until
// both have been timed, then the faster way, and now and then the other, lest what disturbed it
// once decides for good. Nothing but speed depends on it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace packed {

class RowBringing {
 public:
  // Calls work(from, end, bring) for rows `from`..`end - 1`: for all at once, and without bringing
  // them, where they never need it; else stretch after stretch, each timed.
  template <class Work>
  void walk(uint64_t rows, uint64_t rowBytes, bool mayBring, Work work) {
    if (!mayBring) return work(uint64_t{0}, rows, false);
    for (uint64_t from = 0; from < rows; from += kStretch) {
      const uint64_t end = std::min(rows, from + kStretch);
      const bool bring = next();
      const uint64_t start = nowNanos();
      work(from, end, bring);
      took(bring, (end - from) * rowBytes, nowNanos() - start);
    }
  }

  // How the next stretch should go.
  bool next();
  // How long one took.
  void took(bool bring, uint64_t bytes, uint64_t nanos);

 private:
  static constexpr uint64_t kStretch = 1024;  // rows: far longer than looking at the clock takes

  struct Way {
    double bytes = 0;
    double nanos = 0;
    bool isKnown() const;
  };

  Way ways_[2];  // as it lies, brought
  uint32_t turns_ = 0;
};

}  // namespace packed
