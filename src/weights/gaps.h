// What stands where a mistake foretells nothing: padding, a header, what came before the first
// byte. None of it is part of the reference; where parts of it stand there, the mistake was
// another.
#pragma once

#include "weights/hypothesis.h"

namespace packed {

// Looks at the first few gaps; a block of the reference counts wherever it belongs.
bool gapsHoldBlocks(const Observation& seen, const Hypothesis& hypothesis);

}  // namespace packed
