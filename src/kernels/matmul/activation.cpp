#include "kernels/matmul/activation.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace packed {

uint64_t QuantizedActivations::bytes(uint64_t columns, uint64_t blocks, uint32_t elements) {
  const uint64_t codeBytes = (columns * blocks * elements + 15) / 16 * 16;
  return codeBytes + columns * blocks * sizeof(float);
}

QuantizedActivations QuantizedActivations::over(uint8_t* memory, uint64_t columns, uint64_t blocks,
                                                uint32_t elements) {
  const uint64_t codeBytes = (columns * blocks * elements + 15) / 16 * 16;
  return {reinterpret_cast<int8_t*>(memory), reinterpret_cast<float*>(memory + codeBytes)};
}

float quantizeActivationBlock(const float* x, uint32_t elements, int8_t* codes) {
  float absmax = 0;
  for (uint32_t i = 0; i < elements; ++i) absmax = std::max(absmax, std::fabs(x[i]));
  const float d = absmax / 127.0f;
  if (d == 0) {
    std::fill_n(codes, elements, int8_t{0});
    return 0;
  }
  for (uint32_t i = 0; i < elements; ++i) {
    // A subnormal d is coarse enough for x / d to leave the range.
    const float q = std::clamp(std::nearbyint(x[i] / d), -127.0f, 127.0f);
    codes[i] = static_cast<int8_t>(q);
  }
  return d;
}

void quantizeActivations(const float* x, uint64_t columns, uint64_t blocks, uint32_t elements,
                         const QuantizedActivations& to) {
  for (uint64_t block = 0; block < columns * blocks; ++block) {
    to.d[block] =
        quantizeActivationBlock(x + block * elements, elements, to.codes + block * elements);
  }
}

uint64_t firstNotFinite(const float* values, uint64_t count) {
  constexpr uint32_t kExponent = 0x7f800000u;
  for (uint64_t i = 0; i < count; ++i) {
    if ((std::bit_cast<uint32_t>(values[i]) & kExponent) == kExponent) return i;
  }
  return count;
}

}  // namespace packed
