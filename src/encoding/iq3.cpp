#include "encoding/iq3.h"

#include "base/half.h"
#include "encoding/iq_codebooks.h"

namespace packed {
namespace {

uint64_t eightLevels(uint32_t first, uint32_t second) {
  return first | static_cast<uint64_t>(second) << 32;
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
    const auto levels = [&](int l) {
      return eightLevels(books.iq3Xxs[indices[2 * l]], books.iq3Xxs[indices[2 * l + 1]]);
    };
    const auto signs = [&](int l) { return books.evenSigns[signsAndScale >> (7 * l) & 127]; };
    for (int l = 0; l < 4; l += 2) {
      storeSigned(parts.codes + 32 * p + 8 * l, TwoWords{levels(l), levels(l + 1)},
                  TwoWords{signs(l), signs(l + 1)});
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
    const auto four = [&](int i) { return books.iq3S[indices[i] | (qh >> i & 1) << 8]; };
    const auto levels = [&](int l) { return eightLevels(four(2 * l), four(2 * l + 1)); };
    for (int l = 0; l < 4; l += 2) {
      storeSigned(parts.codes + 32 * p + 8 * l, TwoWords{levels(l), levels(l + 1)},
                  TwoWords{books.signs[signs[l]], books.signs[signs[l + 1]]});
    }
  }
}

}  // namespace packed
