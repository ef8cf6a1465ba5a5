#include "encoding/iq2.h"

#include <cstring>

#include "base/half.h"
#include "encoding/iq_codebooks.h"

namespace packed {
namespace {

using EightBytes = uint8_t __attribute__((vector_size(8)));
using EightScales = int16_t __attribute__((vector_size(16)));

// IQ2_XS and IQ2_S: a nibble for each 16 values.
void unpackNibbleScales(const uint8_t* scales, BlockParts& parts) {
  EightBytes bytes;
  std::memcpy(&bytes, scales, sizeof bytes);
  const auto pairs = __builtin_convertvector(bytes, EightScales);
  const EightScales low = 2 * (pairs & 15) + 1, high = 2 * (pairs >> 4) + 1;
  const EightScales inTurn[] = {__builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11),
                                __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15)};
  static_assert(sizeof inTurn == sizeof parts.scales);
  std::memcpy(parts.scales, inTurn, sizeof inTurn);
  std::memset(parts.mins, 0, sizeof parts.mins);
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
    const auto signs = [&](int l) { return books.evenSigns[signsAndScale >> (7 * l) & 127]; };
    for (int l = 0; l < 4; l += 2) {
      storeSigned(parts.codes + 32 * p + 8 * l,
                  TwoWords{books.iq2Xxs[indices[l]], books.iq2Xxs[indices[l + 1]]},
                  TwoWords{signs(l), signs(l + 1)});
    }
  }
}

void BlockCodec<Encoding::IQ2_XS>::unpack(const uint8_t* block, BlockParts& parts) {
  const SpreadCodebooks& books = spreadCodebooks();
  parts.d[0] = loadHalf(block) * 0.125f;
  parts.dmin = 0;
  unpackNibbleScales(block + 66, parts);
  for (int k = 0; k < 32; k += 2) {
    const uint16_t first = loadLE<uint16_t>(block + 2 + 2 * k);
    const uint16_t second = loadLE<uint16_t>(block + 4 + 2 * k);
    storeSigned(parts.codes + 8 * k, TwoWords{books.iq2Xs[first & 511], books.iq2Xs[second & 511]},
                TwoWords{books.evenSigns[first >> 9], books.evenSigns[second >> 9]});
  }
}

void BlockCodec<Encoding::IQ2_S>::unpack(const uint8_t* block, BlockParts& parts) {
  const SpreadCodebooks& books = spreadCodebooks();
  parts.d[0] = loadHalf(block) * 0.125f;
  parts.dmin = 0;
  unpackNibbleScales(block + 74, parts);
  for (int p = 0; p < 8; ++p) {
    const uint8_t* indices = block + 2 + 4 * p;
    const uint8_t* signs = block + 34 + 4 * p;
    const int high = block[66 + p];
    const auto levels = [&](int l) { return books.iq2S[indices[l] | (high >> (2 * l) & 3) << 8]; };
    for (int l = 0; l < 4; l += 2) {
      storeSigned(parts.codes + 32 * p + 8 * l, TwoWords{levels(l), levels(l + 1)},
                  TwoWords{books.signs[signs[l]], books.signs[signs[l + 1]]});
    }
  }
}

}  // namespace packed
