#include "encoding/q8.h"

#include "base/half.h"
#include "encoding/plain_codes.h"

namespace packed {

void BlockCodec<Encoding::Q8_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  std::memcpy(parts.codes, block + 2, 32);
}

void BlockCodec<Encoding::Q8_1>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  std::memcpy(parts.codes, block + 4, 32);
}

void BlockCodec<Encoding::Q8_K>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadLE<float>(block));
  std::memcpy(parts.codes, block + 4, 256);
}

void BlockCodec<Encoding::Q8_0>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  if (importance.perValue != nullptr) {
    static constexpr ScaleSearch kSearch(EvenLevels{-127, 127}, 9, 0.25f, false);
    const float* weights = weightsOf(importance.perValue, 32);
    storeHalf(block, fitScale<kSearch, 32>(values, weights).scale);
    return nearestCodes(values, 32, reciprocal(loadHalf(block)), kSearch.levels, 0, block + 2);
  }
  const float d = largestMagnitude(values, 32) / 127;
  storeHalf(block, d);
  nearestCodes(values, 32, reciprocal(d), IntegersAway{}, 0, block + 2);
}

}  // namespace packed
