#include "encoding/q5_1.h"

#include "base/half.h"
#include "encoding/q4_1.h"
#include "encoding/q5_0.h"

namespace packed {

void BlockCodec<Encoding::Q5_1>::unpack(const uint8_t* block, BlockParts& parts) {
  setScaleAndOffset(parts, loadHalf(block), loadHalf(block + 2));
  unpackFiveBitCodes(block + 4, block + 8, parts.codes);
}

}  // namespace packed
