// ValueDifferences: by how much the values of a PLAIN weight differ from the reference's. As
// stored: two numbers of F64, I64 or I32 that one f32 stands for are two numbers all the same.
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
