#include "encoding/q4_1.h"

#include "base/half.h"
#include "encoding/plain_codes.h"

namespace packed {

void BlockCodec<Encoding::Q4_1>::unpack(const uint8_t* block, BlockParts& parts) {
  setScaleAndOffset(parts, loadHalf(block), loadHalf(block + 2));
  unpackNibbles(block + 4, 0, parts.codes);
}

void BlockCodec<Encoding::Q4_1>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  uint8_t codes[32];
  const auto [d, m] = fitAffineCodes(values, importance, 15, codes);
  storeHalf(block, d);
  storeHalf(block + 2, m);
  packNibbles(codes, 16, block + 4);
}

}  // namespace packed
