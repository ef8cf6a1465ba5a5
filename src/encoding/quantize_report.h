// What quantizing lost: values beside what their blocks decode to, summed stretch by stretch and
// row by row while both are in the nearest cache.
#pragma once

#include <cstdint>

namespace packed {

struct QuantizeReport {
  double relativeRms = 0;  // sqrt(sum (value - decoded)^2 / sum value^2); 0 when nothing was lost
  double maxAbs = 0;       // largest |value - decoded|
  uint64_t worstRow = 0;   // the row of greatest relative RMS error, the first of equals
  double worstRowRms = 0;
};

struct Loss {
  double squares = 0;  // of the values
  double lost = 0;     // squares of the differences; not finite where something decoded is not
  double maxAbs = 0;

  void add(const Loss& more);
  // sqrt(lost / squares); 0 when nothing was lost, infinite when there was nothing to lose.
  double relativeRms() const;
};

// Of one stretch of values. Sums that floats hold are summed as floats, four by four; very large
// and very small ones as doubles.
Loss lossOf(const float* values, const float* decoded, uint64_t count);

// The rows of a weight, in their sequence.
class LossOfRows {
 public:
  void add(const Loss& row);
  QuantizeReport report() const;

 private:
  Loss total_;
  QuantizeReport worst_;
  uint64_t rows_ = 0;
};

}  // namespace packed
