// Registry: the kernels that may run, in registration order. Where several take the same operands,
// the one registered later wins. Looking one up is an index into a table: it is done for every
// call.
#pragma once

#include <array>
#include <vector>

#include "dispatch/kernel_key.h"

namespace packed {

class Registry {
 public:
  // Every kernel of the binary whose instruction set is at most `ceiling`.
  static Registry upTo(Isa ceiling);

  // `kernel` must outlive the registry.
  void add(const KernelInfo& kernel);
  std::span<const KernelInfo* const> kernels() const { return kernels_; }

  // The widest instruction set that keys of this registry ask for.
  Isa ceiling() const { return ceiling_; }

  // What multiplying by `w` asks of a kernel. Plain encodings ask for the activation F32 whatever
  // is given: nothing is gained by rounding x for them.
  KernelKey keyFor(const TensorView& w, Activation activation) const;

  // The kernel that multiplies by `w` as it lies, or null. A view with holes gets only a kernel
  // that reads strides, and so does a transposed plain one; a transposed packed one none.
  const KernelInfo* find(const TensorView& w, Activation activation) const;

  // The kernel for a gap-free weight in `order`, or null: asked before a relayout is paid for.
  const KernelInfo* find(Encoding encoding, BlockOrder order, Activation activation) const;

 private:
  static constexpr std::size_t kEncodings = 0
#define X(name, ggmlType, elements, bytes, group, kind) +1
#include "encoding/encodings.inc"
#undef X
      ;
  static std::size_t slot(Encoding encoding, BlockOrder order, Activation activation, bool gapFree);

  Isa ceiling_ = Isa::SCALAR;
  std::vector<const KernelInfo*> kernels_;
  std::array<const KernelInfo*, kEncodings * 8> table_{};
};

}  // namespace packed
