#include "encoding/q4_0.h"

#include "base/half.h"
#include "encoding/plain_codes.h"

namespace packed {

void BlockCodec<Encoding::Q4_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  const uint8_t* codes = block + 2;
  for (int j = 0; j < 16; ++j) {
    parts.codes[j] = static_cast<int8_t>((codes[j] & 15) - 8);
    parts.codes[j + 16] = static_cast<int8_t>((codes[j] >> 4) - 8);
  }
}

void BlockCodec<Encoding::Q4_0>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  uint8_t codes[32];
  storeHalf(block, fitSymmetricCodes<-8>(values, importance, codes));
  packNibbles(codes, 16, block + 2);
}

}  // namespace packed
