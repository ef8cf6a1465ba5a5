#include "dispatch/registry.h"

namespace packed {

Registry Registry::upTo(Isa ceiling) {
  Registry registry;
  for (const KernelInfo& kernel : allMatmulKernels()) {
    if (kernel.isa <= ceiling) registry.add(kernel);
  }
  return registry;
}

const KernelInfo* Registry::find(const TensorView& w, Activation activation) const {
  if (w.layout().axesSwapped()) return nullptr;
  const bool gapFree = w.layout().gapFree();
  for (auto kernel = kernels_.rbegin(); kernel != kernels_.rend(); ++kernel) {
    const KernelInfo& info = **kernel;
    if (info.encoding == w.encoding() && info.order == w.order() && info.activation == activation &&
        (gapFree || info.readsStrides)) {
      return &info;
    }
  }
  return nullptr;
}

const KernelInfo* Registry::find(Encoding encoding, BlockOrder order, Activation activation) const {
  for (auto kernel = kernels_.rbegin(); kernel != kernels_.rend(); ++kernel) {
    const KernelInfo& info = **kernel;
    if (info.encoding == encoding && info.order == order && info.activation == activation) {
      return &info;
    }
  }
  return nullptr;
}

Registry::Nearest Registry::nearest(const TensorView& w, Activation activation) const {
  Nearest best;
  int bestDifferences = 4;
  for (auto kernel = kernels_.rbegin(); kernel != kernels_.rend(); ++kernel) {
    const KernelInfo& info = **kernel;
    std::string difference;
    int differences = 0;
    const auto differs = [&](std::string_view field, std::string_view has, std::string_view wants) {
      ++differences;
      difference = joined(field, " is ", has, ", not ", wants);
    };
    if (!w.layout().gapFree() && !info.readsStrides) {
      differs("layout", "gap-free", nameOf(layoutClassOf(w)));
    }
    if (info.order != w.order()) differs("order", nameOf(info.order), nameOf(w.order()));
    if (info.activation != activation) {
      differs("activation", nameOf(info.activation), nameOf(activation));
    }
    // Another encoding is the farthest of all: the bytes mean something else.
    if (info.encoding != w.encoding()) {
      differs("encoding", nameOf(info.encoding), nameOf(w.encoding()));
      ++differences;
    }
    if (differences < bestDifferences) {
      best = {&info, difference};
      bestDifferences = differences;
    }
  }
  return best;
}

}  // namespace packed
