// Census: how many observed blocks are where they belong, how many are elsewhere in the reference,
// how many nowhere.
#pragma once

#include "weights/hypothesis.h"

namespace packed {

struct Census {
  uint64_t right = 0;
  uint64_t moved = 0;
  uint64_t nowhere = 0;
};

// OUT_OF_MEMORY.
Result<Census> censusOf(const Observation& seen);

}  // namespace packed
