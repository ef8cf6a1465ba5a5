// The two relaxed dot products, with the operands in the order of their meaning: activations are
// signed bytes, codes are bytes of 0..127 (or, where relaxedDot() allows it, eight bits). Natively
// they are emulated with the semantics that emulateRelaxedDot chose.
#pragma once

#include "kernels/relaxed_probe.h"
#include "kernels/simd128.h"

#if defined(PACKED_RELAXED_SIMD)

namespace packed {

#if defined(__wasm_relaxed_simd__)

// sums[i] + the four products of lane i.
PACKED_INLINE Vector relaxedDot32(Vector codes, Vector activations, Vector sums) {
  return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(activations, codes, sums);
}
// The two products of each 16-bit lane.
PACKED_INLINE Vector relaxedDot16(Vector codes, Vector activations) {
  return wasm_i16x8_relaxed_dot_i8x16_i7x16(activations, codes);
}

#else

Vector relaxedDot32(Vector codes, Vector activations, Vector sums);
Vector relaxedDot16(Vector codes, Vector activations);

#endif

}  // namespace packed

#endif  // PACKED_RELAXED_SIMD
