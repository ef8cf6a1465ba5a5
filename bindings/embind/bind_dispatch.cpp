#include <emscripten/bind.h>

#include "adapt.h"
#include "engine.h"
#include "js_sink.h"
#include "kernels/self_check.h"

namespace packed::bindings {
namespace {

val matmulInto(double x, double xCount, const TensorView& w, double y, double yCount,
               const std::string& activation, bool prepackWeights, Scope* scope, JsSink* sink) {
  MatmulOptions options;
  options.activation = activationOf(activation);
  options.prepackWeights = prepackWeights;
  options.scope = scope;
  options.sink = sink;
  return outcome(matmul(registry(), workspace(), heapSpan<const float>(x, xCount), w,
                        heapSpan<float>(y, yCount), options));
}

val refuseTranspose(const TensorView& view, JsSink* sink) { return outcome(transpose(view, sink)); }

val kernelNames() {
  List list;
  for (const KernelInfo* kernel : registry().kernels()) {
    list.add(kernel->name);
  }
  return std::move(list);
}

// Runs the kernels of this binary up to the named instruction set only; for tests and comparisons.
void limitKernels(const std::string& isa) {
  const Isa ceiling = isa == nameOf(Isa::SCALAR)    ? Isa::SCALAR
                      : isa == nameOf(Isa::SIMD128) ? Isa::SIMD128
                                                    : builtIsa();
  registry() = Registry::upTo(ceiling);
}

// Empty when every kernel computes here what the scalar ones do; otherwise what does not.
std::string selfCheck() {
  // Only relaxed instructions have been seen to differ between engines and between tiers of one.
  if (builtIsa() != Isa::RELAXED) return "";
  const SelfCheck check = runSelfCheck(Isa::RELAXED);
  return check.passed ? "" : std::string(check.kernel);
}

std::string isa() { return std::string(nameOf(builtIsa())); }

}  // namespace

EMSCRIPTEN_BINDINGS(dispatch) {
  using emscripten::allow_raw_pointers;

  emscripten::function("matmulInto", &matmulInto, allow_raw_pointers());
  emscripten::function("transpose", &refuseTranspose, allow_raw_pointers());
  emscripten::function("kernelNames", &kernelNames);
  emscripten::function("limitKernels", &limitKernels);
  emscripten::function("isa", &isa);
  emscripten::function("selfCheck", &selfCheck);
}

}  // namespace packed::bindings
