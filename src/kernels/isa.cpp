#include "kernels/isa.h"

namespace packed {

Isa builtIsa() {
#if defined(__wasm_relaxed_simd__)
  return Isa::RELAXED;
#elif defined(__wasm_simd128__) || defined(PACKED_SIMDE)
  return Isa::SIMD128;
#else
  return Isa::SCALAR;
#endif
}

}  // namespace packed
