#include "encoding/q3_k.h"

#include <cstring>

#include "base/half.h"
#include "base/loops.h"
#include "encoding/super_block.h"

namespace packed {

void BlockCodec<Encoding::Q3_K>::unpack(const uint8_t* block, BlockParts& parts) {
  parts.d[0] = loadHalf(block + 108);
  parts.dmin = 0;
  unpackScales(block + 96, parts.scales);
  std::memset(parts.mins, 0, sizeof parts.mins);
  const uint8_t* hmask = block;
  for (int n = 0; n < 2; ++n) {
    const uint8_t* from = block + 32 + 32 * n;
    for (int j = 0; j < 4; ++j) {
      int8_t* codes = parts.codes + 128 * n + 32 * j;
      for (int l = 0; l < 32; ++l) {
        const int low = from[l] >> (2 * j) & 3;
        const int high = hmask[l] >> (4 * n + j) & 1;
        codes[l] = static_cast<int8_t>((low | high << 2) - 4);
      }
    }
  }
}

void BlockCodec<Encoding::Q3_K>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  static constexpr ScaleSearch kSearch(EvenLevels{-4, 3}, 9, 0.18f, true);
  const float* weights = weightsOf(importance.perValue, 256);
  const SymmetricBlock fit = fitSymmetricBlock<kSearch, 16>(values, weights, -32, 31);
  std::memset(block, 0, 108);
  PACKED_ONE_BY_ONE
  for (int i = 0; i < 256; ++i) {
    const int code = int(fit.levels[i]) + 4;
    const int n = i / 128, j = i / 32 % 4, l = i % 32;
    block[l] = static_cast<uint8_t>(block[l] | (code >> 2) << (4 * n + j));
    uint8_t& low = block[32 + 32 * n + l];
    low = static_cast<uint8_t>(low | (code & 3) << (2 * j));
  }
  uint8_t* S = block + 96;
  PACKED_ONE_BY_ONE
  for (int g = 0; g < 16; ++g) {
    const int scale = fit.scales[g] + 32;
    S[g % 8] = static_cast<uint8_t>(S[g % 8] | (scale & 15) << (g < 8 ? 0 : 4));
    S[8 + g % 4] = static_cast<uint8_t>(S[8 + g % 4] | (scale >> 4) << (2 * (g / 4)));
  }
  storeLE<uint16_t>(block + 108, fit.d);
}

}  // namespace packed
