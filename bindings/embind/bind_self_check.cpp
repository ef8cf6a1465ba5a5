#include <emscripten/bind.h>

#include "adapt.h"
#include "kernels/self_check.h"

namespace packed::bindings {
namespace {

// Empty when every kernel computes here what the scalar ones do; otherwise what does not.
std::string selfCheck() {
  // Only relaxed instructions have been seen to differ between engines and between tiers of one.
  if (builtIsa() != Isa::RELAXED) return "";
  const SelfCheck check = runSelfCheck(Isa::RELAXED);
  return check.passed ? "" : std::string(check.kernel);
}

}  // namespace

EMSCRIPTEN_BINDINGS(self_check) { emscripten::function("selfCheck", &selfCheck); }

}  // namespace packed::bindings
