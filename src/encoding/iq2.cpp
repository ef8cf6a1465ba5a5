#include "encoding/iq2.h"

#include "encoding/iq_blocks.h"

namespace packed {

void BlockCodec<Encoding::IQ2_XXS>::unpack(const uint8_t* block, BlockParts& parts) {
  unpackIq<Encoding::IQ2_XXS>(block, parts);
}
void BlockCodec<Encoding::IQ2_XS>::unpack(const uint8_t* block, BlockParts& parts) {
  unpackIq<Encoding::IQ2_XS>(block, parts);
}
void BlockCodec<Encoding::IQ2_S>::unpack(const uint8_t* block, BlockParts& parts) {
  unpackIq<Encoding::IQ2_S>(block, parts);
}

}  // namespace packed
