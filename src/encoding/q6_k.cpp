#include "encoding/q6_k.h"

#include "base/half.h"

namespace packed {

void BlockCodec<Encoding::Q6_K>::unpack(const uint8_t* block, BlockParts& parts) {
  parts.d[0] = loadHalf(block + 208);
  parts.dmin = 0;
  for (int g = 0; g < 16; ++g) {
    parts.scales[g] = static_cast<int8_t>(block[192 + g]);
    parts.mins[g] = 0;
  }
  for (int h = 0; h < 2; ++h) {
    const uint8_t* ql = block + 64 * h;
    const uint8_t* qh = block + 128 + 32 * h;
    int8_t* codes = parts.codes + 128 * h;
    for (int l = 0; l < 32; ++l) {
      codes[l] = static_cast<int8_t>(((ql[l] & 15) | (qh[l] & 3) << 4) - 32);
      codes[l + 32] = static_cast<int8_t>(((ql[l + 32] & 15) | (qh[l] >> 2 & 3) << 4) - 32);
      codes[l + 64] = static_cast<int8_t>((ql[l] >> 4 | (qh[l] >> 4 & 3) << 4) - 32);
      codes[l + 96] = static_cast<int8_t>((ql[l + 32] >> 4 | (qh[l] >> 6) << 4) - 32);
    }
  }
}

}  // namespace packed
