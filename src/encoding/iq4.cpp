#include "encoding/iq4.h"

#include "base/half.h"

namespace packed {
namespace {

void unpackLevels(const uint8_t* nibbles, int8_t* codes) {
  for (int j = 0; j < 16; ++j) {
    codes[j] = kIq4Levels[nibbles[j] & 15];
    codes[j + 16] = kIq4Levels[nibbles[j] >> 4];
  }
}

}  // namespace

void BlockCodec<Encoding::IQ4_NL>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  unpackLevels(block + 2, parts.codes);
}

void BlockCodec<Encoding::IQ4_XS>::unpack(const uint8_t* block, BlockParts& parts) {
  parts.d[0] = loadHalf(block);
  parts.dmin = 0;
  const uint16_t high = loadLE<uint16_t>(block + 2);
  for (int s = 0; s < 8; ++s) {
    const int low = block[4 + s / 2] >> (4 * (s % 2)) & 15;
    parts.scales[s] = static_cast<int16_t>((low | (high >> (2 * s) & 3) << 4) - 32);
    parts.mins[s] = 0;
    unpackLevels(block + 8 + 16 * s, parts.codes + 32 * s);
  }
}

}  // namespace packed
