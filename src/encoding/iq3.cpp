#include "encoding/iq3.h"

#include "encoding/iq_blocks.h"

namespace packed {

void BlockCodec<Encoding::IQ3_XXS>::unpack(const uint8_t* block, BlockParts& parts) {
  unpackIq<Encoding::IQ3_XXS>(block, parts);
}
void BlockCodec<Encoding::IQ3_S>::unpack(const uint8_t* block, BlockParts& parts) {
  unpackIq<Encoding::IQ3_S>(block, parts);
}

}  // namespace packed
