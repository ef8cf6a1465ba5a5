#include "encoding/q1_0.h"

#include "base/half.h"

namespace packed {

void BlockCodec<Encoding::Q1_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  for (int j = 0; j < 128; ++j) {
    const int bit = block[2 + j / 8] >> (j % 8) & 1;
    parts.codes[j] = static_cast<int8_t>(2 * bit - 1);
  }
}

void BlockCodec<Encoding::Q2_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  for (int j = 0; j < 64; ++j) {
    parts.codes[j] = static_cast<int8_t>((block[2 + j / 4] >> (2 * (j % 4)) & 3) - 1);
  }
}

}  // namespace packed
