#include "encoding/q8.h"

#include "base/half.h"

namespace packed {

void BlockCodec<Encoding::Q8_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  std::memcpy(parts.codes, block + 2, 32);
}

void BlockCodec<Encoding::Q8_1>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  std::memcpy(parts.codes, block + 4, 32);
}

void BlockCodec<Encoding::Q8_K>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadLE<float>(block));
  std::memcpy(parts.codes, block + 4, 256);
}

}  // namespace packed
