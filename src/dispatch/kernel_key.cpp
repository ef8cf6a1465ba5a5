#include "dispatch/kernel_key.h"

namespace packed {

std::string_view nameOf(LayoutClass layoutClass) {
  switch (layoutClass) {
    case LayoutClass::CONTIGUOUS:
      return "contiguous";
    case LayoutClass::STRIDED:
      return "strided";
    case LayoutClass::BLOCKED_ROW_MAJOR:
      return "blocked_row_major";
    case LayoutClass::BLOCKED_INPUT_MAJOR:
      return "blocked_input_major";
  }
  return "unknown";
}

namespace {

LayoutClass denseClassOf(Encoding encoding, BlockOrder order) {
  if (!specOf(encoding).blocked()) {
    return order == BlockOrder::ROW_MAJOR ? LayoutClass::CONTIGUOUS : LayoutClass::STRIDED;
  }
  return order == BlockOrder::ROW_MAJOR ? LayoutClass::BLOCKED_ROW_MAJOR
                                        : LayoutClass::BLOCKED_INPUT_MAJOR;
}

}  // namespace

LayoutClass layoutClassOf(const TensorView& view) {
  if (!view.layout().gapFree()) return LayoutClass::STRIDED;
  return denseClassOf(view.encoding(), view.order());
}

std::string OperandKey::text() const {
  const std::string format =
      specOf(encoding).blocked() ? joined("F32/", nameOf(encoding)) : std::string(nameOf(encoding));
  return joined(format, " ", nameOf(layoutClass));
}

std::string KernelKey::text() const {
  const std::string_view rounded = activation == Activation::INT8 ? " int8" : "";
  return joined(op, "(", x.text(), rounded, " x ", w.text(), ") @", nameOf(isa));
}

KernelKey keyOf(const KernelInfo& kernel) {
  KernelKey key;
  key.w = {kernel.encoding, denseClassOf(kernel.encoding, kernel.order)};
  key.activation = kernel.activation;
  key.isa = kernel.isa;
  return key;
}

}  // namespace packed
