#include "encoding/q4_0.h"

#include "base/half.h"
#include "encoding/plain_codes.h"

namespace packed {

void BlockCodec<Encoding::Q4_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  unpackNibbles(block + 2, 8, parts.codes);
}

void BlockCodec<Encoding::Q4_0>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  uint8_t codes[32];
  storeHalf(block, fitSymmetricCodes<-8>(values, importance, codes));
  packNibbles(codes, 16, block + 2);
}

}  // namespace packed
