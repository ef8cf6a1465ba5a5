#include "base/row_bringing.h"

namespace packed {
namespace {

// Clocks of browsers go by steps of up to a millisecond: so long, in all, before they are believed.
constexpr double kEnough = 3e6;
// What is older counts less and less.
constexpr double kMost = 4 * kEnough;
constexpr uint32_t kTurnsOfTheFaster = 32;

}  // namespace

bool RowBringing::Way::isKnown() const { return nanos >= kEnough; }

bool RowBringing::next() {
  const uint32_t turn = turns_++;
  const auto& [asItLies, brought] = ways_;
  if (!asItLies.isKnown() || !brought.isKnown()) return turn % 2 == 0;
  const bool faster = brought.nanos * asItLies.bytes < asItLies.nanos * brought.bytes;
  return turn % kTurnsOfTheFaster == 0 ? !faster : faster;
}

void RowBringing::took(bool bring, uint64_t bytes, uint64_t nanos) {
  Way& way = ways_[bring];
  way.bytes += static_cast<double>(bytes);
  way.nanos += static_cast<double>(nanos);
  if (way.nanos < kMost) return;
  way.bytes /= 2;
  way.nanos /= 2;
}

}  // namespace packed
