// What computes: one registry of kernels and one scratch memory for the module, which runs on one
// thread.
#pragma once

#include "packed.h"

namespace packed::bindings {

inline Registry& registry() {
  static Registry all = Registry::upTo(builtIsa());
  return all;
}
inline Workspace& workspace() {
  static Workspace scratch;
  return scratch;
}

}  // namespace packed::bindings
