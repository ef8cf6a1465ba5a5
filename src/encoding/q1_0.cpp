#include "encoding/q1_0.h"

#include "base/half.h"
#include "base/loops.h"
#include "encoding/plain_codes.h"

namespace packed {

void BlockCodec<Encoding::Q1_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  for (int j = 0; j < 128; ++j) {
    const int bit = block[2 + j / 8] >> (j % 8) & 1;
    parts.codes[j] = static_cast<int8_t>(2 * bit - 1);
  }
}

void BlockCodec<Encoding::Q2_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  for (int j = 0; j < 64; ++j) {
    parts.codes[j] = static_cast<int8_t>((block[2 + j / 4] >> (2 * (j % 4)) & 3) - 1);
  }
}

void BlockCodec<Encoding::Q1_0>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  const float* weights = weightsOf(importance.perValue, 128);
  float sum = 0;
  float weight = 0;
  for (int j = 0; j < 128; ++j) {
    sum += weights[j] * std::fabs(values[j]);
    weight += weights[j];
  }
  storeHalf(block, sum / weight);
  for (int b = 0; b < 16; ++b) {
    int bits = 0;
    for (int j = 0; j < 8; ++j) bits |= (values[8 * b + j] >= 0 ? 1 : 0) << j;
    block[2 + b] = static_cast<uint8_t>(bits);
  }
}

void BlockCodec<Encoding::Q2_0>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  static constexpr EvenLevels kLevels{-1, 2};
  uint8_t codes[64];
  if (importance.perValue == nullptr) {
    const float d = largestMagnitude(values, 64);
    storeHalf(block, d);
    PACKED_ONE_BY_ONE
    for (int i = 0; i < 64; ++i) {
      codes[i] = static_cast<uint8_t>(std::lround(values[i] * reciprocal(d)) + 1);
    }
  } else {
    const float* weights = weightsOf(importance.perValue, 64);
    static constexpr ScaleSearch kSearch(kLevels, 14, 0.065f, true);
    storeHalf(block, fitScale<kSearch, 64>(values, weights).scale);
    nearestCodes(values, 64, reciprocal(loadHalf(block)), kLevels, 1, codes);
  }
  PACKED_ONE_BY_ONE
  for (int b = 0; b < 16; ++b) {
    const uint8_t* c = codes + 4 * b;
    block[2 + b] = static_cast<uint8_t>(c[0] | c[1] << 2 | c[2] << 4 | c[3] << 6);
  }
}

}  // namespace packed
