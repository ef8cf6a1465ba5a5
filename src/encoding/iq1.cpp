#include "encoding/iq1.h"

#include "base/half.h"
#include "encoding/iq_codebooks.h"

namespace packed {

void BlockCodec<Encoding::IQ1_S>::unpack(const uint8_t* block, BlockParts& parts) {
  const SpreadCodebooks& books = spreadCodebooks();
  parts.d[0] = loadHalf(block) * 0.125f;
  parts.dmin = 0;
  for (int p = 0; p < 8; ++p) {
    const uint32_t word = loadLE<uint16_t>(block + 34 + 2 * p);
    parts.scales[p] = static_cast<int16_t>(2 * (word >> 12 & 7) + 1);
    parts.mins[p] = 0;
    const uint8_t* indices = block + 2 + 4 * p;
    const auto levels = [&](int l) { return books.iq1[indices[l] | (word >> (3 * l) & 7) << 8]; };
    const uint64_t shift = kIq1Shifts[word >> 15];
    for (int l = 0; l < 4; l += 2) {
      storeShifted(parts.codes + 32 * p + 8 * l, TwoWords{levels(l), levels(l + 1)},
                   TwoWords{shift, shift});
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
  for (int k = 0; k < 32; k += 2) {
    const uint32_t high = block[32 + k / 2];
    storeShifted(parts.codes + 8 * k,
                 TwoWords{books.iq1[block[k] | (high & 7) << 8],
                          books.iq1[block[k + 1] | (high >> 4 & 7) << 8]},
                 TwoWords{kIq1Shifts[high >> 3 & 1], kIq1Shifts[high >> 7]});
  }
}

}  // namespace packed
