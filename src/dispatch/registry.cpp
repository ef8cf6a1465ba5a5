#include "dispatch/registry.h"

#include <algorithm>

namespace packed {
namespace {

// A call may round x, it need not.
Activation activationFor(Encoding encoding, Activation activation) {
  return specOf(encoding).blocked() ? activation : Activation::F32;
}

}  // namespace

Registry Registry::upTo(Isa ceiling) {
  Registry registry;
  registry.ceiling_ = ceiling;
  for (const KernelInfo& kernel : allMatmulKernels()) {
    if (kernel.isa <= ceiling) registry.add(kernel);
  }
  return registry;
}

std::size_t Registry::slot(Encoding encoding, BlockOrder order, Activation activation,
                           bool gapFree) {
  const std::size_t wide =
      static_cast<std::size_t>(encoding) * 2 + (order != BlockOrder::ROW_MAJOR);
  return (wide * 2 + (activation != Activation::F32)) * 2 + gapFree;
}

void Registry::add(const KernelInfo& kernel) {
  kernels_.push_back(&kernel);
  ceiling_ = std::max(ceiling_, kernel.isa);
  table_[slot(kernel.encoding, kernel.order, kernel.activation, true)] = &kernel;
  if (kernel.readsStrides) {
    table_[slot(kernel.encoding, kernel.order, kernel.activation, false)] = &kernel;
  }
}

KernelKey Registry::keyFor(const TensorView& w, Activation activation) const {
  KernelKey key;
  key.w = {w.encoding(), layoutClassOf(w)};
  key.activation = activationFor(w.encoding(), activation);
  key.isa = ceiling_;
  return key;
}

const KernelInfo* Registry::find(const TensorView& w, Activation activation) const {
  // Every value of a plain encoding is a block, so turned axes are only other strides.
  if (w.layout().axesSwapped() && specOf(w.encoding()).blocked()) return nullptr;
  return table_[slot(w.encoding(), w.order(), activationFor(w.encoding(), activation),
                     w.layout().gapFree())];
}

const KernelInfo* Registry::find(Encoding encoding, BlockOrder order, Activation activation) const {
  return table_[slot(encoding, order, activationFor(encoding, activation), true)];
}

}  // namespace packed
