#include "encoding/q3_k.h"

#include "base/half.h"

namespace packed {

void BlockCodec<Encoding::Q3_K>::unpack(const uint8_t* block, BlockParts& parts) {
  parts.d[0] = loadHalf(block + 108);
  parts.dmin = 0;
  const uint8_t* S = block + 96;
  for (int g = 0; g < 16; ++g) {
    const int low = g < 8 ? S[g] & 15 : S[g - 8] >> 4;
    const int high = S[8 + g % 4] >> (2 * (g / 4)) & 3;
    parts.scales[g] = static_cast<int16_t>((low | high << 4) - 32);
    parts.mins[g] = 0;
  }
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

}  // namespace packed
