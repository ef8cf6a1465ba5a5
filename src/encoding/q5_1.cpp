#include "encoding/q5_1.h"

#include "base/half.h"
#include "encoding/plain_codes.h"
#include "encoding/q4_1.h"
#include "encoding/q5_0.h"

namespace packed {

void BlockCodec<Encoding::Q5_1>::unpack(const uint8_t* block, BlockParts& parts) {
  setScaleAndOffset(parts, loadHalf(block), loadHalf(block + 2));
  unpackFiveBitCodes(block + 4, block + 8, parts.codes);
}

void BlockCodec<Encoding::Q5_1>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  uint8_t codes[32];
  const auto [d, m] = fitAffineCodes(values, importance, 31, codes);
  storeHalf(block, d);
  storeHalf(block + 2, m);
  storeLE<uint32_t>(block + 4, fifthBits(codes));
  packNibbles(codes, 16, block + 8);
}

}  // namespace packed
