// Whether this engine runs the vector kernels as they are specified. To be called once after
// loading and once more when the engine has recompiled its hot functions: optimizing tiers and
// baseline tiers have differed (V8 before 11.4 doubled a relaxed product, in one tier only). A
// binary whose self-check fails must not be used: the loader then takes the one without relaxed
// SIMD; where weights are loaded already, it goes on without the kernels of that instruction set.
#pragma once

#include <string_view>

#include "kernels/isa.h"

namespace packed {

struct SelfCheck {
  bool passed = true;
  std::string_view kernel;  // the first that differs from the scalar specification; or "no memory"
};

// Every kernel of one instruction set that claims the scalar bits, on known operands: GEMV and
// GEMM, ordinary values and ones that make sums as large as they get. A few milliseconds. Fails
// without memory.
SelfCheck runSelfCheck(Isa isa);

// The same for what has come since (useAccelerators): two and three columns, and the GEMM.
SelfCheck checkAccelerators(Isa isa);

}  // namespace packed
