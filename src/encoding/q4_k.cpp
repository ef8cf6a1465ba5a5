#include "encoding/q4_k.h"

#include "base/half.h"
#include "encoding/super_block.h"

namespace packed {

void BlockCodec<Encoding::Q4_K>::unpack(const uint8_t* block, BlockParts& parts) {
  parts.d[0] = loadHalf(block);
  parts.dmin = loadHalf(block + 2);
  unpackScalesAndMins(block + 4, parts.scales, parts.mins);
  const uint8_t* codes = block + 16;
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 32; ++i) {
      const uint8_t both = codes[32 * j + i];
      parts.codes[64 * j + i] = both & 15;
      parts.codes[64 * j + 32 + i] = static_cast<int8_t>(both >> 4);
    }
  }
}

void BlockCodec<Encoding::Q4_K>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  const AffineBlock fit = fitAffineBlock(values, weightsOf(importance.perValue, 256), 32, 15, 63);
  storeLE<uint16_t>(block, fit.d);
  storeLE<uint16_t>(block + 2, fit.dmin);
  packScalesAndMins(fit.scales, fit.mins, block + 4);
  for (int j = 0; j < 4; ++j) {
    const float* codes = fit.codes + 64 * j;
    for (int i = 0; i < 32; ++i) {
      block[16 + 32 * j + i] = static_cast<uint8_t>(int(codes[i]) | int(codes[i + 32]) << 4);
    }
  }
}

}  // namespace packed
