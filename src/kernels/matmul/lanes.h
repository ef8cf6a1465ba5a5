// The summation order of Activation::F32 (matmul.h), written once.
#pragma once

#include <cstdint>

namespace packed {

// Values of a row that are summed together when the encoding has no blocks of its own.
inline constexpr uint32_t kPlainChunk = 32;

// Sum of w[i] * x[i] over one block, in four lanes.
inline float sumInLanes(const float* w, const float* x, uint64_t count) {
  float lane[4] = {0, 0, 0, 0};
  for (uint64_t i = 0; i < count; ++i) lane[i % 4] += w[i] * x[i];
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

}  // namespace packed
