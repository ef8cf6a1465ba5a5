#include "encoding/tq.h"

#include "base/half.h"

namespace packed {
namespace {

constexpr uint8_t kPowersOf3[] = {1, 3, 9, 27, 81};

// Digit n of each of `count` bytes, minus one.
void unpackDigits(const uint8_t* bytes, int count, int n, int8_t* codes) {
  for (int m = 0; m < count; ++m) {
    const auto fraction = static_cast<uint8_t>(bytes[m] * kPowersOf3[n]);
    codes[m] = static_cast<int8_t>((fraction * 3 >> 8) - 1);
  }
}

}  // namespace

void BlockCodec<Encoding::TQ1_0>::unpack(const uint8_t* block, BlockParts& parts) {
  setSingleScale(parts, loadHalf(block + 52));
  for (int n = 0; n < 5; ++n) unpackDigits(block, 32, n, parts.codes + 32 * n);
  for (int n = 0; n < 5; ++n) unpackDigits(block + 32, 16, n, parts.codes + 160 + 16 * n);
  for (int n = 0; n < 4; ++n) unpackDigits(block + 48, 4, n, parts.codes + 240 + 4 * n);
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

}  // namespace packed
