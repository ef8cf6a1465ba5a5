#include "encoding/quantize_report.h"

#include <algorithm>
#include <cmath>

#include "encoding/lanes.h"

namespace packed {

void Loss::add(const Loss& more) {
  squares += more.squares;
  lost += more.lost;
  maxAbs = std::max(maxAbs, more.maxAbs);
}

double Loss::relativeRms() const {
  return lost == 0 ? 0 : squares == 0 ? INFINITY : std::sqrt(lost / squares);
}

// Squares are summed as floats, 64 at a time, and those sums as doubles.
Loss lossOf(const float* values, const float* decoded, uint64_t count) {
  constexpr uint64_t kStep = 64;
  Loss loss;
  Lanes largest = {};
  uint64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    Lanes squares = {}, lost = {};
#pragma GCC unroll 1
    for (uint64_t k = i; k < i + kStep; k += 4) {
      const Lanes value = loadLanes(values + k);
      const Lanes off = value - loadLanes(decoded + k);
      squares += value * value;
      lost += off * off;
      largest = larger(largest, magnitude(off));
    }
    loss.squares += double(sumOf(squares));
    loss.lost += double(sumOf(lost));
  }
  loss.maxAbs = double(largestOf(largest));
  const auto inRange = [](double sum) { return sum > 1e-20 && sum < 1e30; };
  if (!inRange(loss.squares) || !(loss.maxAbs == 0 || inRange(loss.lost))) {
    loss = {};
    i = 0;
  }
  for (; i < count; ++i) {
    const float off = values[i] - decoded[i];
    loss.squares += double(values[i]) * values[i];
    loss.lost += double(off) * off;
    loss.maxAbs = std::max(loss.maxAbs, double(std::fabs(off)));
  }
  return loss;
}

void LossOfRows::add(const Loss& row) {
  total_.add(row);
  const double rms = row.relativeRms();
  if (rms > worst_.worstRowRms) {
    worst_.worstRowRms = rms;
    worst_.worstRow = rows_;
  }
  ++rows_;
}

QuantizeReport LossOfRows::report() const {
  QuantizeReport report = worst_;
  report.relativeRms = total_.relativeRms();
  report.maxAbs = total_.maxAbs;
  return report;
}

}  // namespace packed
