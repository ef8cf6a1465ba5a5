#include "encoding/iq4.h"

#include "base/half.h"
#include "encoding/plain_codes.h"
#include "encoding/super_block.h"

namespace packed {
namespace {

void unpackLevels(const uint8_t* nibbles, int8_t* codes) {
  for (int j = 0; j < 16; ++j) {
    codes[j] = kIq4Levels[nibbles[j] & 15];
    codes[j + 16] = kIq4Levels[nibbles[j] >> 4];
  }
}

}  // namespace

void BlockCodec<Encoding::IQ4_NL>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block));
  unpackLevels(block + 2, parts.codes);
}

void BlockCodec<Encoding::IQ4_XS>::unpack(const uint8_t* block, BlockParts& parts) {
  parts.d[0] = loadHalf(block);
  parts.dmin = 0;
  const uint16_t high = loadLE<uint16_t>(block + 2);
  for (int s = 0; s < 8; ++s) {
    const int low = block[4 + s / 2] >> (4 * (s % 2)) & 15;
    parts.scales[s] = static_cast<int16_t>((low | (high >> (2 * s) & 3) << 4) - 32);
    parts.mins[s] = 0;
    unpackLevels(block + 8 + 16 * s, parts.codes + 32 * s);
  }
}

namespace {

struct Iq4Steps {
  float middle[15];
  float step[15];
};
constexpr Iq4Steps iq4Steps() {
  Iq4Steps steps{};
  for (int k = 0; k < 15; ++k) {
    steps.middle[k] = 0.5f * static_cast<float>(kIq4Levels[k + 1] + kIq4Levels[k]);
    steps.step[k] = static_cast<float>(kIq4Levels[k + 1] - kIq4Levels[k]);
  }
  return steps;
}
constexpr Iq4Steps kIq4Steps = iq4Steps();

// The index of each level, after the search has chosen levels.
void packLevels(const float* levels, uint8_t* nibbles) {
  uint8_t codes[32];
  for (int i = 0; i < 32; ++i) {
    int index = 0;
    for (int k = 1; k < 16; ++k) index += levels[i] >= kIq4Levels[k] ? 1 : 0;
    codes[i] = static_cast<uint8_t>(index);
  }
  packNibbles(codes, 16, nibbles);
}

}  // namespace

Lanes Iq4Levels::nearest(Lanes v) const {
  // Each level above the lowest adds its step where v is past the middle of the two.
  Lanes level = splat(kIq4Levels[0]);
  for (int k = 0; k < 15; ++k) {
    const IntLanes past = v > splat(kIq4Steps.middle[k]);
    const IntLanes step = reinterpret_cast<IntLanes>(splat(kIq4Steps.step[k]));
    level += reinterpret_cast<Lanes>(past & step);
  }
  return level;
}

namespace {
constexpr ScaleSearch kSearch(Iq4Levels{}, 9, 5, true);
}  // namespace

void BlockCodec<Encoding::IQ4_NL>::quantize(const float* values, const Importance& importance,
                                            uint8_t* block) {
  const Iq4Levels levels;
  storeHalf(block, fitScale<kSearch, 32>(values, weightsOf(importance.perValue, 32)).scale);
  const Lanes inverse = splat(reciprocal(loadHalf(block)));
  float chosen[32];
  for (int i = 0; i < 32; i += 4) {
    storeLanes(chosen + i, levels.nearest(loadLanes(values + i) * inverse));
  }
  packLevels(chosen, block + 2);
}

void BlockCodec<Encoding::IQ4_XS>::quantize(const float* values, const Importance& importance,
                                            uint8_t* block) {
  const float* weights = weightsOf(importance.perValue, 256);
  const SymmetricBlock fit = fitSymmetricBlock<kSearch, 32>(values, weights, -32, 31);
  storeLE<uint16_t>(block, fit.d);
  uint32_t high = 0;
  uint8_t* low = block + 4;
  for (int s = 0; s < 8; ++s) {
    const uint32_t scale = static_cast<uint32_t>(fit.scales[s] + 32);
    high |= (scale >> 4) << (2 * s);
    const auto nibble = static_cast<uint8_t>((scale & 15) << (4 * (s % 2)));
    low[s / 2] = s % 2 == 0 ? nibble : static_cast<uint8_t>(low[s / 2] | nibble);
    packLevels(fit.levels + 32 * s, block + 8 + 16 * s);
  }
  storeLE<uint16_t>(block + 2, static_cast<uint16_t>(high));
}

}  // namespace packed
