#include "encoding/q5_k.h"

#include "base/half.h"
#include "base/loops.h"
#include "encoding/q4_k.h"
#include "encoding/super_block.h"

namespace packed {

void BlockCodec<Encoding::Q5_K>::unpack(const uint8_t* block, BlockParts& parts) {
  parts.d[0] = loadHalf(block);
  parts.dmin = loadHalf(block + 2);
  unpackScalesAndMins(block + 4, parts.scales, parts.mins);
  const uint8_t* qh = block + 16;
  for (int j = 0; j < 4; ++j) {
    const uint8_t* nibbles = block + 48 + 32 * j;
    int8_t* codes = parts.codes + 64 * j;
    for (int i = 0; i < 32; ++i) {
      const int high = qh[i] >> (2 * j);
      codes[i] = static_cast<int8_t>((nibbles[i] & 15) | (high & 1) << 4);
      codes[i + 32] = static_cast<int8_t>((nibbles[i] >> 4) | (high & 2) << 3);
    }
  }
}

void BlockCodec<Encoding::Q5_K>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  const AffineBlock fit = fitAffineBlock(values, weightsOf(importance.perValue, 256), 32, 31, 63);
  storeLE<uint16_t>(block, fit.d);
  storeLE<uint16_t>(block + 2, fit.dmin);
  packScalesAndMins(fit.scales, fit.mins, block + 4);
  uint8_t* qh = block + 16;
  std::memset(qh, 0, 32);
  for (int j = 0; j < 4; ++j) {
    PACKED_ONE_BY_ONE
    for (int i = 0; i < 32; ++i) {
      const int low = int(fit.codes[64 * j + i]);
      const int high = int(fit.codes[64 * j + 32 + i]);
      qh[i] = static_cast<uint8_t>(qh[i] | (low >> 4 | (high >> 4) << 1) << (2 * j));
      block[48 + 32 * j + i] = static_cast<uint8_t>((low & 15) | (high & 15) << 4);
    }
  }
}

}  // namespace packed
