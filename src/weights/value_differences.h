// ValueDifferences: by how much the values of a PLAIN weight differ from the reference's.
#pragma once

#include "weights/hypothesis.h"

namespace packed {

struct ValueDifferences {
  uint64_t count = 0;
  double largest = 0;
  double relativeRms = 0;
  bool rounding = true;  // every value is nearly the reference's
};

// Of an observation of the right size, in an encoding that can be decoded.
ValueDifferences differencesOf(const Observation& seen);

}  // namespace packed
