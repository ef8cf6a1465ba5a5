#include "encoding/q5_0.h"

#include "base/half.h"
#include "encoding/plain_codes.h"

namespace packed {

void BlockCodec<Encoding::Q5_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  unpackFiveBitCodes(block + 2, block + 6, parts.codes);
  for (int i = 0; i < 32; ++i) parts.codes[i] = static_cast<int8_t>(parts.codes[i] - 16);
}

void BlockCodec<Encoding::Q5_0>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  uint8_t codes[32];
  storeHalf(block, fitSymmetricCodes<-16>(values, importance, codes));
  storeLE<uint32_t>(block + 2, fifthBits(codes));
  packNibbles(codes, 16, block + 6);
}

}  // namespace packed
