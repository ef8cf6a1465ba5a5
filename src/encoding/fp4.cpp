#include "encoding/fp4.h"

#include "base/half.h"

namespace packed {

void BlockCodec<Encoding::MXFP4>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, halfOfE8m0(block[0]));
  const uint8_t* codes = block + 1;
  for (int j = 0; j < 16; ++j) {
    parts.codes[j] = kFp4Levels[codes[j] & 15];
    parts.codes[j + 16] = kFp4Levels[codes[j] >> 4];
  }
}

void BlockCodec<Encoding::NVFP4>::unpack(const uint8_t* block, BlockParts& parts) {
  parts.dmin = 0;
  for (int s = 0; s < 4; ++s) {
    parts.d[s] = ue4m3ToFloat(block[s]) * 0.5f;
    parts.scales[s] = 1;
    parts.mins[s] = 0;
    const uint8_t* from = block + 4 + 8 * s;
    int8_t* codes = parts.codes + 16 * s;
    for (int j = 0; j < 8; ++j) {
      codes[j] = kFp4Levels[from[j] & 15];
      codes[j + 8] = kFp4Levels[from[j] >> 4];
    }
  }
}

}  // namespace packed
