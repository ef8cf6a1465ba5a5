#include <emscripten/bind.h>

#include <utility>

#include "adapt.h"
#include "kernels/self_check.h"

namespace packed::bindings {
namespace {

// Empty when every kernel computes here what the scalar ones do; otherwise what does not.
std::string wrongOf(SelfCheck (*check)(Isa)) {
  // Only relaxed instructions have been seen to differ between engines and between tiers of one.
  if (builtIsa() != Isa::RELAXED) return "";
  const SelfCheck found = check(Isa::RELAXED);
  return found.passed ? "" : std::string(found.kernel);
}

std::string selfCheck() { return wrongOf(&runSelfCheck); }

// To be called once the tools are loaded. Turns the accelerators on; if a kernel then computes
// something else, turns them off again and gives its name. Later calls give "".
std::string takeColumns() {
  static bool taken = false;
  if (std::exchange(taken, true)) return "";
  useAccelerators(true);
  const std::string wrong = wrongOf(&checkAccelerators);
  if (!wrong.empty()) useAccelerators(false);
  return wrong;
}

}  // namespace

EMSCRIPTEN_BINDINGS(self_check) {
  useAccelerators(false);
  emscripten::function("selfCheck", &selfCheck);
  emscripten::function("takeColumns", &takeColumns);
}

}  // namespace packed::bindings
