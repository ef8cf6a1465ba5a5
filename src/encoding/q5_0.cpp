#include "encoding/q5_0.h"

#include "base/half.h"

namespace packed {

void BlockCodec<Encoding::Q5_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  unpackFiveBitCodes(block + 2, block + 6, parts.codes);
  for (int i = 0; i < 32; ++i) parts.codes[i] = static_cast<int8_t>(parts.codes[i] - 16);
}

}  // namespace packed
