#include "encoding/iq1.h"

#include "encoding/iq_blocks.h"

namespace packed {

void BlockCodec<Encoding::IQ1_S>::unpack(const uint8_t* block, BlockParts& parts) {
  unpackIq<Encoding::IQ1_S>(block, parts);
}
void BlockCodec<Encoding::IQ1_M>::unpack(const uint8_t* block, BlockParts& parts) {
  unpackIq<Encoding::IQ1_M>(block, parts);
}

}  // namespace packed
