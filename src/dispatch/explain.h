// explain: why a key gets the kernel that it gets, or why it gets none. For events, error messages
// and people who wonder where the speed went.
#pragma once

#include "dispatch/registry.h"

namespace packed {

struct Explanation {
  KernelKey key;
  const KernelInfo* kernel = nullptr;   // what runs; null when only the reference can
  const KernelInfo* nearest = nullptr;  // otherwise: what comes closest; null for an empty registry

  // Where `nearest` differs. It is chosen to differ in as little as possible, usually in one field:
  // "layout", "activation", "isa", "encoding" (a different one is the farthest: its bytes mean
  // something else). When it differs in several, these name the first and the text names all.
  std::string field;
  std::string has;
  std::string wants;

  std::string text;  // a sentence
};

Explanation explain(const Registry& registry, const KernelKey& key);

// The same for a weight as it lies. A stack ("rank") and a transposed packed view ("layout") are
// taken by no kernel and not by the reference: the text is what matmul refuses them with.
Explanation explain(const Registry& registry, const TensorView& w, Activation activation);

}  // namespace packed
