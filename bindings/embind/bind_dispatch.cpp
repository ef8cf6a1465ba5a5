#include <emscripten/bind.h>

#include "adapt.h"
#include "engine.h"
#include "js_sink.h"

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

// Runs the kernels of this binary up to the named instruction set only: for comparisons, and where
// the kernels above it turned out to be wrong.
void limitKernels(const std::string& isa) {
  const Isa ceiling = isa == nameOf(Isa::SCALAR)    ? Isa::SCALAR
                      : isa == nameOf(Isa::SIMD128) ? Isa::SIMD128
                                                    : builtIsa();
  registry() = Registry::upTo(ceiling);
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
}

}  // namespace packed::bindings
