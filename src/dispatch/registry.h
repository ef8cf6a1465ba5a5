// Registry: the kernels that may run, in registration order. Where several take the same operands, the one
// registered later wins.
#pragma once

#include <functional>
#include <vector>

#include "dispatch/kernel_key.h"

namespace packed {

class Registry {
 public:
  // Every kernel of the binary whose instruction set is at most `ceiling`.
  static Registry upTo(Isa ceiling);

  void add(const KernelInfo& kernel) { kernels_.push_back(&kernel); }
  std::span<const KernelInfo* const> kernels() const { return kernels_; }

  // The kernel that multiplies by `w` as it lies, or null.
  const KernelInfo* find(const TensorView& w, Activation activation) const;

  // The kernel for a gap-free weight in `order`, or null: asked before a relayout is paid for.
  const KernelInfo* find(Encoding encoding, BlockOrder order, Activation activation) const;

  // The kernel that comes closest to what is asked, and the one field in which it differs; empty text when
  // it does not differ. Null when nothing is registered at all.
  struct Nearest {
    const KernelInfo* kernel = nullptr;
    std::string difference;
  };
  Nearest nearest(const TensorView& w, Activation activation) const;

 private:
  std::vector<const KernelInfo*> kernels_;
};

}  // namespace packed
