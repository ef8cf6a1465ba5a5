// The kernels that need no more than WebAssembly's 128-bit SIMD.
#include "kernels/matmul/exact.h"
#include "kernels/matmul/int8.h"
#include "kernels/matmul/simd.h"

#if defined(PACKED_SIMD)

namespace packed {

#define INT8_WORKSPACE(encoding) int8Workspace(wideKernel<Encoding::encoding>(), shape)
#define INT8_RUN(encoding, order) runInt8(wideKernel<Encoding::encoding>(), BlockOrder::order, call)
#define F32_WORKSPACE(encoding) exactWorkspace(shape)
#define F32_RUN(encoding, order) runExact(exactFormat<Encoding::encoding>(), call)

#define DEFINE_SCALAR(activation, encoding, order)
#define DEFINE_RELAXED(activation, encoding, order)
#define DEFINE_SIMD128(activation, encoding, order)                                  \
  template <>                                                                        \
  uint64_t SimdKernel<Isa::SIMD128, Activation::activation, Encoding::encoding,      \
                      BlockOrder::order>::workspaceBytes(const MatmulShape& shape) { \
    return activation##_WORKSPACE(encoding);                                         \
  }                                                                                  \
  template <>                                                                        \
  void SimdKernel<Isa::SIMD128, Activation::activation, Encoding::encoding,          \
                  BlockOrder::order>::run(const MatmulCall& call) {                  \
    activation##_RUN(encoding, order);                                               \
  }
#define KERNEL(activation, encoding, order, isa) DEFINE_##isa(activation, encoding, order)
#include "kernels/matmul/kernels.inc"

}  // namespace packed

#endif  // PACKED_SIMD
