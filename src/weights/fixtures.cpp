#include "weights/fixtures.h"

#include <cstring>

#include "base/half.h"
#include "encoding/codec.h"

namespace packed::fixtures {
namespace {

Error noBlocks(Encoding encoding) {
  return refuse(ErrorCode::UNSUPPORTED_ENCODING, nameOf(encoding),
                " has no blocks, so it has no fixture; every block encoding has one");
}

Result<std::vector<uint8_t>> placement(Encoding encoding, BlockOrder order) {
  const EncodingSpec& spec = specOf(encoding);
  if (!spec.blocked()) return noBlocks(encoding);
  std::vector<uint8_t> bytes;
  const uint64_t blocks = kPlacementGrid.out * kPlacementGrid.blocksPerRow;
  for (uint64_t flat = 0; flat < blocks; ++flat) {
    const BlockAt at = blockAt(order, kPlacementGrid, flat);
    bytes.insert(bytes.end(), spec.bytes, static_cast<uint8_t>(at.o * 16 + at.b));
  }
  return bytes;
}

// Codes without a pattern: the high bytes of a multiplicative hash of the place.
uint8_t codeByte(uint64_t seed) {
  uint64_t x = (seed + 1) * 0x9E3779B97F4A7C15u;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9u;
  return static_cast<uint8_t>(x >> 56);
}

// Where the fp16 scale of a block is; formats without one have their own branch in setScales.
uint32_t scaleOffset(Encoding encoding) {
  switch (encoding) {
    case Encoding::Q2_K:
      return 80;
    case Encoding::Q3_K:
      return 108;
    case Encoding::Q6_K:
      return 208;
    case Encoding::TQ1_0:
      return 52;
    case Encoding::TQ2_0:
      return 64;
    default:
      return 0;
  }
}

// int8 codes as quantizers write them: -128 never occurs.
int32_t symmetricCodes(uint8_t* codes, uint32_t count) {
  int32_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (codes[i] == 0x80) codes[i] = 0x81;
    sum += static_cast<int8_t>(codes[i]);
  }
  return sum;
}

// Base-3 digits packed as a fraction of 256, as TQ1_0 stores them: digit n is floor(3 * frac(v*3^n
// / 256)).
uint8_t ternaryByte(uint32_t digits) { return static_cast<uint8_t>((digits * 256 + 242) / 243); }

// Turns arbitrary bytes into ones that a quantizer could have written.
void setCodes(Encoding encoding, uint8_t* block) {
  if (encoding == Encoding::Q8_0) symmetricCodes(block + 2, 32);
  if (encoding == Encoding::TQ1_0) {
    for (uint32_t i = 0; i < 48; ++i) block[i] = ternaryByte(block[i] % 243u);
    for (uint32_t i = 48; i < 52; ++i) block[i] = ternaryByte(block[i] % 81u * 3);
  }
  if (encoding == Encoding::TQ2_0) {
    for (uint32_t i = 0; i < 64; ++i) {  // 3 is no ternary code: its high bit goes
      const uint32_t invalid = block[i] & block[i] >> 1 & 0x55u;
      block[i] = static_cast<uint8_t>(block[i] & ~(invalid << 1));
    }
  }
}

void setScales(Encoding encoding, uint8_t* block, BlockAt at) {
  const float d = static_cast<float>(16 * at.o + at.b + 1) / 1024;
  const auto flat =
      static_cast<uint32_t>(flatIndex(BlockOrder::ROW_MAJOR, kDecodableGrid, at.o, at.b));
  switch (encoding) {
    case Encoding::MXFP4:
      block[0] = static_cast<uint8_t>(115 + flat);
      return;
    case Encoding::NVFP4:
      for (uint32_t s = 0; s < 4; ++s) block[s] = static_cast<uint8_t>(24 + 4 * flat + s);
      return;
    case Encoding::IQ1_M:
      for (uint32_t s = 0; s < 4; ++s) {
        const uint32_t nibble = floatToHalf(d) >> (4 * s) & 15u;
        block[49 + 2 * s] = static_cast<uint8_t>((block[49 + 2 * s] & 15u) | nibble << 4);
      }
      return;
    case Encoding::Q8_K:
      storeLE<float>(block, d);
      for (uint32_t g = 0; g < 16; ++g) {
        storeLE<int16_t>(block + 260 + 2 * g,
                         static_cast<int16_t>(symmetricCodes(block + 4 + 16 * g, 16)));
      }
      return;
    default:
      storeHalf(block + scaleOffset(encoding), d);
  }
  if (encoding == Encoding::Q4_1 || encoding == Encoding::Q5_1) storeHalf(block + 2, -8 * d);
  if (encoding == Encoding::Q4_K || encoding == Encoding::Q5_K) storeHalf(block + 2, d / 2);
  if (encoding == Encoding::Q2_K) storeHalf(block + 82, d / 2);
  if (encoding == Encoding::Q8_1) {
    storeHalf(block + 2, d * static_cast<float>(symmetricCodes(block + 4, 32)));
  }
}

}  // namespace

Result<std::vector<uint8_t>> canonical(Encoding encoding) {
  return placement(encoding, BlockOrder::ROW_MAJOR);
}

Result<std::vector<uint8_t>> kernelOrder(Encoding encoding) {
  return placement(encoding, BlockOrder::INPUT_BLOCK_MAJOR);
}

Result<Decodable> decodable(Encoding encoding) {
  const EncodingSpec& spec = specOf(encoding);
  if (!spec.blocked()) return noBlocks(encoding);
  Decodable fixture;
  fixture.encoding = encoding;
  fixture.out = kDecodableGrid.out;
  fixture.blocksPerRow = kDecodableGrid.blocksPerRow;
  fixture.inputDim = fixture.blocksPerRow * spec.elements;
  const uint64_t blocks = fixture.out * fixture.blocksPerRow;

  fixture.bytes.resize(blocks * spec.bytes);
  for (std::size_t i = 0; i < fixture.bytes.size(); ++i) fixture.bytes[i] = codeByte(i);
  for (uint64_t flat = 0; flat < blocks; ++flat) {
    uint8_t* block = fixture.bytes.data() + flat * spec.bytes;
    setCodes(encoding, block);
    setScales(encoding, block, blockAt(fixture.order, kDecodableGrid, flat));
  }
  fixture.decoded.resize(fixture.out * fixture.inputDim);
  PACKED_CHECK(decode(encoding, fixture.bytes, fixture.decoded));

  for (uint64_t column = 0; column < kColumns; ++column) {
    for (uint64_t i = 0; i < fixture.inputDim; ++i) {
      fixture.x.push_back(static_cast<float>((7 * i + 5 * column) % 17) / 8 - 1);
    }
  }
  for (uint64_t column = 0; column < kColumns; ++column) {
    for (uint64_t o = 0; o < fixture.out; ++o) {
      double sum = 0;
      for (uint64_t i = 0; i < fixture.inputDim; ++i) {
        sum += static_cast<double>(fixture.x[column * fixture.inputDim + i]) *
               static_cast<double>(fixture.decoded[o * fixture.inputDim + i]);
      }
      fixture.y.push_back(static_cast<float>(sum));
    }
  }
  return fixture;
}

}  // namespace packed::fixtures
