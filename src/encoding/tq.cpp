#include "encoding/tq.h"

#include "base/half.h"
#include "base/loops.h"
#include "encoding/plain_codes.h"

namespace packed {
namespace {

constexpr uint8_t kPowersOf3[] = {1, 3, 9, 27, 81};

// A run of bytes: all first digits, then all second ones, and so on. Returns what follows its codes.
template <int bytes, int digits>
int8_t* unpackDigits(const uint8_t* run, int8_t* codes) {
  PACKED_ROLLED
  for (int n = 0; n < digits; ++n, codes += bytes) {
    for (int m = 0; m < bytes; ++m) {
      const auto fraction = static_cast<uint8_t>(run[m] * kPowersOf3[n]);
      codes[m] = static_cast<int8_t>((fraction * 3 >> 8) - 1);
    }
  }
  return codes;
}

}  // namespace

void BlockCodec<Encoding::TQ1_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block + 52));
  int8_t* codes = unpackDigits<32, 5>(block, parts.codes);
  codes = unpackDigits<16, 5>(block + 32, codes);
  unpackDigits<4, 4>(block + 48, codes);
}

void BlockCodec<Encoding::TQ2_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block + 64));
  for (int c = 0; c < 2; ++c) {
    const uint8_t* from = block + 32 * c;
    for (int l = 0; l < 4; ++l) {
      int8_t* codes = parts.codes + 128 * c + 32 * l;
      for (int m = 0; m < 32; ++m) codes[m] = static_cast<int8_t>((from[m] >> (2 * l) & 3) - 1);
    }
  }
}

namespace {

// 0, 1, 2 for -1, 0, +1: the definition rounds value / d, d the greatest magnitude.
void ternaryCodes(const float* values, float d, uint8_t* codes) {
  nearestCodes(values, 256, reciprocal(d), IntegersAway{}, 1, codes);
}

// A byte of TQ1_0 from `digits` codes that stand `stride` apart; places left over are zero digits.
uint8_t packDigits(const uint8_t* codes, int digits, int stride) {
  int number = 0;
  for (int n = 0; n < 5; ++n) number = number * 3 + (n < digits ? codes[n * stride] : 0);
  return static_cast<uint8_t>((number * 256 + 242) / 243);
}

}  // namespace

void BlockCodec<Encoding::TQ1_0>::quantize(const float* values, const Importance&, uint8_t* block) {
  const float d = largestMagnitude(values, 256);
  uint8_t codes[256];
  ternaryCodes(values, d, codes);
  PACKED_ONE_BY_ONE
  for (int m = 0; m < 32; ++m) block[m] = packDigits(codes + m, 5, 32);
  PACKED_ONE_BY_ONE
  for (int m = 0; m < 16; ++m) block[32 + m] = packDigits(codes + 160 + m, 5, 16);
  PACKED_ONE_BY_ONE
  for (int j = 0; j < 4; ++j) block[48 + j] = packDigits(codes + 240 + j, 4, 4);
  storeHalf(block + 52, d);
}

void BlockCodec<Encoding::TQ2_0>::quantize(const float* values, const Importance&, uint8_t* block) {
  const float d = largestMagnitude(values, 256);
  uint8_t codes[256];
  ternaryCodes(values, d, codes);
  for (int c = 0; c < 2; ++c) {
    for (int m = 0; m < 32; ++m) {
      const uint8_t* from = codes + 128 * c + m;
      block[32 * c + m] =
          static_cast<uint8_t>(from[0] | from[32] << 2 | from[64] << 4 | from[96] << 6);
    }
  }
  storeHalf(block + 64, d);
}

}  // namespace packed
