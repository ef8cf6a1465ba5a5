#include "kernels/self_check.h"

#include <doctest/doctest.h>

#include "kernels/relaxed_probe.h"

namespace packed {

TEST_CASE("self-check: passes for the 128-bit kernels") {
  const SelfCheck check = runSelfCheck(Isa::SIMD128);
  CAPTURE(check.kernel);
  CHECK(check.passed);
}

TEST_CASE("self-check: passes under every semantics that relaxed dot products may have") {
#if defined(PACKED_SIMDE)
  for (const auto dot : {RelaxedDot::NARROW, RelaxedDot::UNSIGNED, RelaxedDot::SIGNED}) {
    CAPTURE(nameOf(dot));
    emulateRelaxedDot(dot);
    CHECK(checkAccelerators(Isa::RELAXED).passed);
    const SelfCheck check = runSelfCheck(Isa::RELAXED);
    CAPTURE(check.kernel);
    CHECK(check.passed);
  }
#endif
}

}  // namespace packed
