// The kernels of relaxed SIMD.
#include "kernels/matmul/int8.h"
#include "kernels/matmul/simd.h"

#if defined(PACKED_RELAXED_SIMD)

namespace packed {

#define DEFINE_SCALAR(activation, encoding, order)
#define DEFINE_SIMD128(activation, encoding, order)
#define DEFINE_RELAXED(activation, encoding, order)                                  \
  template <>                                                                        \
  uint64_t SimdKernel<Isa::RELAXED, Activation::activation, Encoding::encoding,      \
                      BlockOrder::order>::workspaceBytes(const MatmulShape& shape) { \
    return int8Workspace(relaxedKernel<Encoding::encoding>(), shape);                \
  }                                                                                  \
  template <>                                                                        \
  void SimdKernel<Isa::RELAXED, Activation::activation, Encoding::encoding,          \
                  BlockOrder::order>::run(const MatmulCall& call) {                  \
    runInt8(relaxedKernel<Encoding::encoding>(), BlockOrder::order, call);           \
  }
#define KERNEL(activation, encoding, order, isa) DEFINE_##isa(activation, encoding, order)
#include "kernels/matmul/kernels.inc"

}  // namespace packed

#endif  // PACKED_RELAXED_SIMD
