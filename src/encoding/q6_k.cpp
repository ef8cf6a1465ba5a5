#include "encoding/q6_k.h"

#include "base/half.h"
#include "base/loops.h"
#include "encoding/super_block.h"

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

void BlockCodec<Encoding::Q6_K>::quantize(const float* values, const Importance& importance,
                                          uint8_t* block) {
  static constexpr ScaleSearch kSearch(EvenLevels{-32, 31}, 9, 1.4f, true);
  const float* weights = weightsOf(importance.perValue, 256);
  const SymmetricBlock fit = fitSymmetricBlock<kSearch, 16>(values, weights, -128, 127);
  for (int h = 0; h < 2; ++h) {
    const float* levels = fit.levels + 128 * h;
    PACKED_ONE_BY_ONE
    for (int l = 0; l < 32; ++l) {
      const int a = int(levels[l]) + 32;
      const int b = int(levels[l + 32]) + 32;
      const int c = int(levels[l + 64]) + 32;
      const int e = int(levels[l + 96]) + 32;
      block[64 * h + l] = static_cast<uint8_t>((a & 15) | (c & 15) << 4);
      block[64 * h + l + 32] = static_cast<uint8_t>((b & 15) | (e & 15) << 4);
      block[128 + 32 * h + l] =
          static_cast<uint8_t>(a >> 4 | (b >> 4) << 2 | (c >> 4) << 4 | (e >> 4) << 6);
    }
  }
  for (int g = 0; g < 16; ++g) block[192 + g] = static_cast<uint8_t>(fit.scales[g]);
  storeLE<uint16_t>(block + 208, fit.d);
}

}  // namespace packed
