#include "encoding/iq1.h"

#include "base/half.h"
#include "encoding/iq_codebooks.h"

namespace packed {
namespace {

void storeGroup(int8_t* codes, uint64_t eightfold, bool negativeShift) {
  storeLE<uint64_t>(reinterpret_cast<uint8_t*>(codes), iq1Levels(eightfold, negativeShift));
}

}  // namespace

void BlockCodec<Encoding::IQ1_S>::unpack(const uint8_t* block, BlockParts& parts) {
  const SpreadCodebooks& books = spreadCodebooks();
  parts.d[0] = loadHalf(block) * 0.125f;
  parts.dmin = 0;
  for (int p = 0; p < 8; ++p) {
    const uint32_t word = loadLE<uint16_t>(block + 34 + 2 * p);
    parts.scales[p] = static_cast<int16_t>(2 * (word >> 12 & 7) + 1);
    parts.mins[p] = 0;
    for (int l = 0; l < 4; ++l) {
      const uint32_t high = word >> (3 * l) & 7;
      storeGroup(parts.codes + 32 * p + 8 * l, books.iq1[block[2 + 4 * p + l] | high << 8],
                 word >> 15);
    }
  }
}

void BlockCodec<Encoding::IQ1_M>::unpack(const uint8_t* block, BlockParts& parts) {
  const SpreadCodebooks& books = spreadCodebooks();
  uint32_t d = 0;
  for (int w = 0; w < 4; ++w) {
    const uint32_t word = loadLE<uint16_t>(block + 48 + 2 * w);
    d |= (word >> 12) << (4 * w);
    for (int g = 0; g < 4; ++g) {
      parts.scales[4 * w + g] = static_cast<int16_t>(2 * (word >> (3 * g) & 7) + 1);
      parts.mins[4 * w + g] = 0;
    }
  }
  parts.d[0] = halfToFloat(static_cast<uint16_t>(d)) * 0.125f;
  parts.dmin = 0;
  for (int k = 0; k < 32; ++k) {
    const uint32_t nibble = block[32 + k / 2] >> (4 * (k % 2)) & 15;
    storeGroup(parts.codes + 8 * k, books.iq1[block[k] | (nibble & 7) << 8], nibble >> 3);
  }
}

}  // namespace packed
