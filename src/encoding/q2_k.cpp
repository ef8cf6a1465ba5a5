#include "encoding/q2_k.h"

#include "base/half.h"
#include "encoding/super_block.h"

namespace packed {

void BlockCodec<Encoding::Q2_K>::unpack(const uint8_t* block, BlockParts& parts) {
  parts.d[0] = loadHalf(block + 80);
  parts.dmin = loadHalf(block + 82);
  for (int g = 0; g < 16; ++g) {
    parts.scales[g] = block[g] & 15;
    parts.mins[g] = block[g] >> 4;
  }
  for (int n = 0; n < 2; ++n) {
    const uint8_t* from = block + 16 + 32 * n;
    for (int j = 0; j < 4; ++j) {
      int8_t* codes = parts.codes + 128 * n + 32 * j;
      for (int l = 0; l < 32; ++l) codes[l] = from[l] >> (2 * j) & 3;
    }
  }
}

void BlockCodec<Encoding::Q2_K>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  const AffineBlock fit = fitAffineBlock(values, weightsOf(importance.perValue, 256), 16, 3, 15);
  for (int g = 0; g < 16; ++g) {
    block[g] = static_cast<uint8_t>(fit.scales[g] | fit.mins[g] << 4);
  }
  for (int n = 0; n < 2; ++n) {
    for (int l = 0; l < 32; ++l) {
      int byte = 0;
      for (int j = 0; j < 4; ++j) byte |= int(fit.codes[128 * n + 32 * j + l]) << (2 * j);
      block[16 + 32 * n + l] = static_cast<uint8_t>(byte);
    }
  }
  storeLE<uint16_t>(block + 80, fit.d);
  storeLE<uint16_t>(block + 82, fit.dmin);
}

}  // namespace packed
