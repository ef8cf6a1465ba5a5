// What stands where a mistake foretells nothing: padding, a header, what came before the first
// byte. None of it should be part of the reference; where it is, the mistake was another.
#pragma once

#include "weights/hypothesis.h"

namespace packed {

// Whether any of the first few pieces that stand there, other than zeros and the like, stands
// anywhere in the reference.
bool gapsHoldBlocks(const Observation& seen, const Hypothesis& hypothesis);

}  // namespace packed
