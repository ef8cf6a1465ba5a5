#include "encoding/iq3.h"

#include "base/half.h"
#include "encoding/iq_codebooks.h"

namespace packed {
namespace {

using FourWords = uint32_t __attribute__((vector_size(16)));

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
    const auto four = [&](int i) { return books.iq3Xxs[indices[i]]; };
    const auto signs = [&](int l) { return books.evenSigns[signsAndScale >> (7 * l) & 127]; };
    for (int l = 0; l < 4; l += 2) {
      const FourWords levels = {four(2 * l), four(2 * l + 1), four(2 * l + 2), four(2 * l + 3)};
      storeSigned(parts.codes + 32 * p + 8 * l, reinterpret_cast<TwoWords>(levels),
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
    for (int l = 0; l < 4; l += 2) {
      const FourWords levels = {four(2 * l), four(2 * l + 1), four(2 * l + 2), four(2 * l + 3)};
      storeSigned(parts.codes + 32 * p + 8 * l, reinterpret_cast<TwoWords>(levels),
                  TwoWords{books.signs[signs[l]], books.signs[signs[l + 1]]});
    }
  }
}

}  // namespace packed
