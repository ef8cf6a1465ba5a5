// The int8 form of the activations: once per matmul, per block of the weight's encoding.
//
//   d = absmax / 127        q[i] = x[i] / d rounded to nearest, ties to even, within -127 .. 127
//
// A block of zeros (or of values too small for d to be anything but 0) has d = 0 and q = 0.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace packed {

// Activations of `columns` rows of x, `blocks` blocks of `elements` values each.
struct QuantizedActivations {
  int8_t* codes;  // [columns][blocks * elements]
  float* d;       // [columns][blocks]

  // Bytes to reserve, and how they are used: `memory` must be 16-aligned.
  static uint64_t bytes(uint64_t columns, uint64_t blocks, uint32_t elements);
  static QuantizedActivations over(uint8_t* memory, uint64_t columns, uint64_t blocks,
                                   uint32_t elements);
};

// Rounds one block; returns d. Values must be finite (firstNotFinite).
float quantizeActivationBlock(const float* x, uint32_t elements, int8_t* codes);

void quantizeActivations(const float* x, uint64_t columns, uint64_t blocks, uint32_t elements,
                         const QuantizedActivations& to);

// Index of the first NaN or infinity, or `count`.
uint64_t firstNotFinite(const float* values, uint64_t count);

}  // namespace packed
