#include "encoding/q4_1.h"

#include "base/half.h"

namespace packed {

void BlockCodec<Encoding::Q4_1>::unpack(const uint8_t* block, BlockParts& parts) {
  setScaleAndOffset(parts, loadHalf(block), loadHalf(block + 2));
  const uint8_t* codes = block + 4;
  for (int j = 0; j < 16; ++j) {
    parts.codes[j] = codes[j] & 15;
    parts.codes[j + 16] = static_cast<int8_t>(codes[j] >> 4);
  }
}

}  // namespace packed
