// Kernels for tests of dispatch: copies of the scalar ones under other contracts.
#pragma once

#include "dispatch/registry.h"

namespace packed::oracle {

inline const KernelInfo& scalarKernel(Encoding encoding, BlockOrder order, Activation activation) {
  for (const KernelInfo& kernel : allMatmulKernels()) {
    if (kernel.encoding == encoding && kernel.order == order && kernel.activation == activation &&
        kernel.isa == Isa::SCALAR) {
      return kernel;
    }
  }
  return allMatmulKernels()[0];
}

// As the SIMD kernels are: for gap-free blocks in one order only.
inline KernelInfo packedKernel(Encoding encoding, BlockOrder order,
                               Activation activation = Activation::F32) {
  KernelInfo kernel = scalarKernel(encoding, order, activation);
  kernel.name = order == BlockOrder::ROW_MAJOR ? "packed_row_major" : "packed_input_major";
  kernel.isa = Isa::SIMD128;
  kernel.readsStrides = false;
  return kernel;
}

}  // namespace packed::oracle
