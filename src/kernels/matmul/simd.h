// The vector kernels under the names of kernels.inc. simd128.cpp and relaxed.cpp instantiate them
// from that list; here stands only what they have in common.
#pragma once

#include "encoding/encoding.h"
#include "kernels/kernel_info.h"

namespace packed {

template <Isa isa, Activation activation, Encoding encoding, BlockOrder order>
struct SimdKernel {
  static constexpr bool bitExactWithScalar = true;
  static constexpr bool readsStrides = true;

  static uint64_t workspaceBytes(const MatmulShape& shape);
  static void run(const MatmulCall& call);
};

}  // namespace packed
