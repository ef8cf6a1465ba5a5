// Which of two ways through the rows of a weight is the faster one, found out while working.
//
// It is the machine's affair. Bringing rows into the caches (base/cache.h) before a loop goes down
// them makes a comparison of two orders up to 1.8 times as fast where steps from page to page are
// not seen coming (measured on Zen 4), and costs a third where they are (Zen 5); there again it
// makes products of row-major weights beyond the caches 1.4 times as fast. The way through bands of
// large blocks is such a question, too. So stretches of rows go both ways by turns until both have
// been timed, then the faster way, and now and then the other, lest what disturbed it once decides
// for good. Nothing but speed depends on it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/clock.h"

namespace packed {

class FasterWay {
 public:
  // Calls work(from, end, second) for rows `from`..`end - 1`: for all at once, the first way, where
  // there is no second or so little to do that looking at the clock would take longer than either;
  // else stretch after stretch, each timed.
  template <class Work>
  void walk(uint64_t rows, uint64_t rowBytes, bool hasSecond, Work work) {
    if (!hasSecond || rows * rowBytes < kLittle) return work(uint64_t{0}, rows, false);
    for (uint64_t from = 0; from < rows; from += kStretch) {
      const uint64_t end = std::min(rows, from + kStretch);
      const bool second = next();
      const uint64_t start = nowNanos();
      work(from, end, second);
      took(second, (end - from) * rowBytes, nowNanos() - start);
    }
  }

  // Whether the next stretch should go the second way.
  bool next();
  // How long one took.
  void took(bool second, uint64_t bytes, uint64_t nanos);

 private:
  static constexpr uint64_t kLittle = 1 << 17;  // bytes
  static constexpr uint64_t kStretch = 1024;    // rows

  struct Way {
    double bytes = 0;
    double nanos = 0;
    bool isKnown() const;
  };

  Way ways_[2];
  uint32_t turns_ = 0;
};

// One for weights of about each size: what is faster through a weight that a cache holds need not
// be through a larger one.
class FasterWays {
 public:
  FasterWay& forWeight(uint64_t bytes) {
    return ofSize_[std::min<uint64_t>(kSizes - 1,
                                      static_cast<uint64_t>(std::bit_width(bytes >> 20)))];
  }

 private:
  static constexpr uint64_t kSizes = 10;  // less than 1 MB, 2 MB, 4 MB ..
  FasterWay ofSize_[kSizes];
};

}  // namespace packed
