// The scalar kernels: the specification. One function per activation serves every encoding and any
// strides; ScalarKernel binds it to the names of kernels.inc.
#pragma once

#include "encoding/encoding.h"
#include "kernels/kernel_info.h"

namespace packed {

// Visits blocks in the sequence in which `order` holds them; the numbers do not depend on it.
void scalarMatmulF32(Encoding encoding, BlockOrder order, const MatmulCall& call);

// BLOCKED encodings only.
void scalarMatmulInt8(Encoding encoding, BlockOrder order, const MatmulCall& call);
uint64_t scalarWorkspaceInt8(Encoding encoding, const MatmulShape& shape);

template <Activation activation, Encoding encoding, BlockOrder order>
struct ScalarKernel {
  static constexpr bool bitExactWithScalar = true;
  static constexpr bool readsStrides = true;

  static uint64_t workspaceBytes(const MatmulShape& shape) {
    return activation == Activation::INT8 ? scalarWorkspaceInt8(encoding, shape) : 0;
  }
  static void run(const MatmulCall& call) {
    if constexpr (activation == Activation::INT8) {
      scalarMatmulInt8(encoding, order, call);
    } else {
      scalarMatmulF32(encoding, order, call);
    }
  }
};

}  // namespace packed
