#include "encoding/iq2.h"

#include "base/half.h"
#include "encoding/iq_codebooks.h"

namespace packed {
namespace {

void storeGroup(int8_t* codes, uint64_t levels, uint64_t signs) {
  storeLE<uint64_t>(reinterpret_cast<uint8_t*>(codes), withSigns(levels, signs));
}

// IQ2_XS and IQ2_S: a nibble for each 16 values.
void unpackNibbleScales(const uint8_t* scales, BlockParts& parts) {
  for (int g = 0; g < 16; ++g) {
    parts.scales[g] = static_cast<int16_t>(2 * (scales[g / 2] >> (4 * (g % 2)) & 15) + 1);
    parts.mins[g] = 0;
  }
}

}  // namespace

void BlockCodec<Encoding::IQ2_XXS>::unpack(const uint8_t* block, BlockParts& parts) {
  const SpreadCodebooks& books = spreadCodebooks();
  parts.d[0] = loadHalf(block) * 0.125f;
  parts.dmin = 0;
  for (int p = 0; p < 8; ++p) {
    const uint8_t* indices = block + 2 + 8 * p;
    const uint32_t signsAndScale = loadLE<uint32_t>(indices + 4);
    parts.scales[p] = static_cast<int16_t>(2 * (signsAndScale >> 28) + 1);
    parts.mins[p] = 0;
    for (int l = 0; l < 4; ++l) {
      storeGroup(parts.codes + 32 * p + 8 * l, books.iq2Xxs[indices[l]],
                 books.evenSigns[signsAndScale >> (7 * l) & 127]);
    }
  }
}

void BlockCodec<Encoding::IQ2_XS>::unpack(const uint8_t* block, BlockParts& parts) {
  const SpreadCodebooks& books = spreadCodebooks();
  parts.d[0] = loadHalf(block) * 0.125f;
  parts.dmin = 0;
  unpackNibbleScales(block + 66, parts);
  for (int k = 0; k < 32; ++k) {
    const uint16_t word = loadLE<uint16_t>(block + 2 + 2 * k);
    storeGroup(parts.codes + 8 * k, books.iq2Xs[word & 511], books.evenSigns[word >> 9]);
  }
}

void BlockCodec<Encoding::IQ2_S>::unpack(const uint8_t* block, BlockParts& parts) {
  const SpreadCodebooks& books = spreadCodebooks();
  parts.d[0] = loadHalf(block) * 0.125f;
  parts.dmin = 0;
  unpackNibbleScales(block + 74, parts);
  for (int k = 0; k < 32; ++k) {
    const int high = block[66 + k / 4] >> (2 * (k % 4)) & 3;
    storeGroup(parts.codes + 8 * k, books.iq2S[block[2 + k] | high << 8],
               books.signs[block[34 + k]]);
  }
}

}  // namespace packed
