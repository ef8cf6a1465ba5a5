#include "encoding/fp4.h"

#include <algorithm>
#include <cmath>

#include "base/half.h"
#include "encoding/scale_search.h"

namespace packed {

void BlockCodec<Encoding::MXFP4>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, halfOfE8m0(block[0]));
  const uint8_t* codes = block + 1;
  for (int j = 0; j < 16; ++j) {
    parts.codes[j] = kFp4Levels[codes[j] & 15];
    parts.codes[j + 16] = kFp4Levels[codes[j] >> 4];
  }
}

void BlockCodec<Encoding::NVFP4>::unpack(const uint8_t* block, BlockParts& parts) {
  parts.dmin = 0;
  for (int s = 0; s < 4; ++s) {
    parts.d[s] = ue4m3ToFloat(block[s]) * 0.5f;
    parts.scales[s] = 1;
    parts.mins[s] = 0;
    const uint8_t* from = block + 4 + 8 * s;
    int8_t* codes = parts.codes + 16 * s;
    for (int j = 0; j < 8; ++j) {
      codes[j] = kFp4Levels[from[j] & 15];
      codes[j + 8] = kFp4Levels[from[j] >> 4];
    }
  }
}

namespace {

// The first code whose level times `half` is nearest to the value.
uint8_t nearestCode(float value, float half) {
  int best = 0;
  float bestDistance = std::fabs(kFp4Levels[0] * half - value);
  for (int code = 1; code < 16; ++code) {
    const float distance = std::fabs(kFp4Levels[code] * half - value);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = code;
    }
  }
  return static_cast<uint8_t>(best);
}

float errorOfScale(const float* values, const float* weights, int count, float half) {
  float sum = 0;
  for (int i = 0; i < count; ++i) {
    const float off = values[i] - kFp4Levels[nearestCode(values[i], half)] * half;
    sum += weights[i] * off * off;
  }
  return sum;
}

// Without importance `start`; else that of the scales start - reach .. start + reach which loses
// least.
template <class HalfOf>
uint8_t chooseScale(const float* values, const float* importance, int count, int start, int reach,
                    int highest, HalfOf halfOf) {
  if (importance == nullptr) return static_cast<uint8_t>(start);
  const float* weights = weightsOf(importance, count);
  int best = start;
  float bestError = errorOfScale(values, weights, count, halfOf(static_cast<uint8_t>(start)));
  for (int near = std::max(start - reach, 0); near <= std::min(start + reach, highest); ++near) {
    const float error = errorOfScale(values, weights, count, halfOf(static_cast<uint8_t>(near)));
    if (error < bestError) {
      bestError = error;
      best = near;
    }
  }
  return static_cast<uint8_t>(best);
}

float halfOfUe4m3(uint8_t scale) { return ue4m3ToFloat(scale) * 0.5f; }

}  // namespace

void BlockCodec<Encoding::MXFP4>::quantize(const float* values, const Importance& importance,
                                           uint8_t* block) {
  // The greatest magnitude is put into the binade of the top levels 4 and 6.
  const float largest = largestMagnitude(values, 32);
  const int exponent = largest > 0 ? std::clamp(std::ilogb(largest) - 2 + 127, 0, 254) : 0;
  block[0] = chooseScale(values, importance.perValue, 32, exponent, 1, 254, halfOfE8m0);
  const float half = halfOfE8m0(block[0]);
  for (int j = 0; j < 16; ++j) {
    block[1 + j] =
        static_cast<uint8_t>(nearestCode(values[j], half) | nearestCode(values[j + 16], half) << 4);
  }
}

void BlockCodec<Encoding::NVFP4>::quantize(const float* values, const Importance& importance,
                                           uint8_t* block) {
  for (int s = 0; s < 4; ++s) {
    const float* x = values + 16 * s;
    const uint8_t start = floatToUe4m3(largestMagnitude(x, 16) / 6);
    const float* weights = importance.perValue == nullptr ? nullptr : importance.perValue + 16 * s;
    block[s] = chooseScale(x, weights, 16, start, 2, 0x7e, halfOfUe4m3);
    const float half = halfOfUe4m3(block[s]);
    for (int j = 0; j < 8; ++j) {
      block[4 + 8 * s + j] =
          static_cast<uint8_t>(nearestCode(x[j], half) | nearestCode(x[j + 8], half) << 4);
    }
  }
}

}  // namespace packed
