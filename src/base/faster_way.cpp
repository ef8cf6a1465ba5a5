#include "base/faster_way.h"

namespace packed {
namespace {

// Browser clocks tick in steps of up to 1 ms, so a way counts as timed only after 3 ms in total.
constexpr double kEnough = 3e6;
// What is older counts less and less.
constexpr double kMost = 2 * kEnough;
static_assert(kMost / 2 >= kEnough);  // what is known stays so
constexpr uint32_t kTurnsOfTheFaster = 16;

}  // namespace

bool FasterWay::Way::isKnown() const { return nanos >= kEnough; }

bool FasterWay::next() {
  const uint32_t turn = turns_++;
  const auto& [first, second] = ways_;
  if (!first.isKnown() || !second.isKnown()) return turn % 2 == 0;
  const bool faster = second.nanos * first.bytes < first.nanos * second.bytes;
  return turn % kTurnsOfTheFaster == 0 ? !faster : faster;
}

void FasterWay::took(bool second, uint64_t bytes, uint64_t nanos) {
  Way& way = ways_[second];
  way.bytes += static_cast<double>(bytes);
  way.nanos += static_cast<double>(nanos);
  if (way.nanos < kMost) return;
  way.bytes /= 2;
  way.nanos /= 2;
}

}  // namespace packed
