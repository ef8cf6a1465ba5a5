#include "encoding/iq3.h"

#include "base/half.h"
#include "encoding/iq_codebooks.h"

namespace packed {
namespace {

void storeGroup(int8_t* codes, uint32_t first, uint32_t second, uint64_t signs) {
  const uint64_t levels = first | static_cast<uint64_t>(second) << 32;
  storeLE<uint64_t>(reinterpret_cast<uint8_t*>(codes), withSigns(levels, signs));
}

}  // namespace

void BlockCodec<Encoding::IQ3_XXS>::unpack(const uint8_t* block, BlockParts& parts) {
  const SpreadCodebooks& books = spreadCodebooks();
  parts.d[0] = loadHalf(block) * 0.25f;
  parts.dmin = 0;
  for (int p = 0; p < 8; ++p) {
    const uint8_t* indices = block + 2 + 8 * p;
    const uint32_t signsAndScale = loadLE<uint32_t>(block + 66 + 4 * p);
    parts.scales[p] = static_cast<int16_t>(2 * (signsAndScale >> 28) + 1);
    parts.mins[p] = 0;
    for (int l = 0; l < 4; ++l) {
      storeGroup(parts.codes + 32 * p + 8 * l, books.iq3Xxs[indices[2 * l]],
                 books.iq3Xxs[indices[2 * l + 1]], books.evenSigns[signsAndScale >> (7 * l) & 127]);
    }
  }
}

void BlockCodec<Encoding::IQ3_S>::unpack(const uint8_t* block, BlockParts& parts) {
  const SpreadCodebooks& books = spreadCodebooks();
  parts.d[0] = loadHalf(block);
  parts.dmin = 0;
  for (int p = 0; p < 8; ++p) {
    const uint8_t* indices = block + 2 + 8 * p;
    const uint32_t qh = block[66 + p];
    const uint8_t* signs = block + 74 + 4 * p;
    parts.scales[p] = static_cast<int16_t>(2 * (block[106 + p / 2] >> (4 * (p % 2)) & 15) + 1);
    parts.mins[p] = 0;
    for (int l = 0; l < 4; ++l) {
      const uint32_t first = indices[2 * l] | (qh >> (2 * l) & 1) << 8;
      const uint32_t second = indices[2 * l + 1] | (qh >> (2 * l + 1) & 1) << 8;
      storeGroup(parts.codes + 32 * p + 8 * l, books.iq3S[first], books.iq3S[second],
                 books.signs[signs[l]]);
    }
  }
}

}  // namespace packed
