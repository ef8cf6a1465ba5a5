#include "weights/fixtures.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "encoding/codec.h"

using namespace packed;

TEST_CASE("placement fixtures: every byte of block (o, b) is o*16 + b, in either order") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked()) continue;
    const auto canonical = *fixtures::canonical(spec.encoding);
    const auto kernel = *fixtures::kernelOrder(spec.encoding);
    REQUIRE(canonical.size() == 12 * spec.bytes);
    REQUIRE(kernel.size() == 12 * spec.bytes);
    for (uint64_t o = 0; o < 4; ++o) {
      for (uint64_t b = 0; b < 3; ++b) {
        for (uint64_t i = 0; i < spec.bytes; ++i) {
          REQUIRE(canonical[(o * 3 + b) * spec.bytes + i] == o * 16 + b);
          REQUIRE(kernel[(b * 4 + o) * spec.bytes + i] == o * 16 + b);
        }
      }
    }
  }
}

TEST_CASE("placement fixtures: the published sizes") {
  CHECK(fixtures::canonical(Encoding::Q4_0)->size() == 216);
  CHECK(fixtures::kernelOrder(Encoding::Q4_K)->size() == 1728);
}

TEST_CASE("fixtures: an encoding without blocks has none") {
  CHECK(fixtures::canonical(Encoding::F16).error().code == ErrorCode::UNSUPPORTED_ENCODING);
  CHECK(fixtures::kernelOrder(Encoding::F32).error().code == ErrorCode::UNSUPPORTED_ENCODING);
  CHECK(fixtures::decodable(Encoding::BF16).error().code == ErrorCode::UNSUPPORTED_ENCODING);
}

TEST_CASE("decodable fixtures: finite content, no two blocks alike, decoded as the codec decodes") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked()) continue;
    CAPTURE(std::string(spec.name));
    const auto fixture = *fixtures::decodable(spec.encoding);
    CHECK(fixture.bytes == fixtures::decodable(spec.encoding)->bytes);
    REQUIRE(fixture.bytes.size() == 15 * spec.bytes);
    std::set<std::vector<uint8_t>> blocks;
    std::set<std::vector<float>> values;
    for (uint64_t flat = 0; flat < 15; ++flat) {
      const uint8_t* block = fixture.bytes.data() + flat * spec.bytes;
      blocks.insert({block, block + spec.bytes});
      std::vector<float> decoded(spec.elements);
      decodeBlocks(spec.encoding, block, 1, decoded.data());
      for (uint32_t i = 0; i < spec.elements; ++i) {
        REQUIRE(std::isfinite(decoded[i]));
        REQUIRE(decoded[i] == fixture.decoded[flat * spec.elements + i]);
      }
      values.insert(decoded);
    }
    CHECK(blocks.size() == 15);
    CHECK(values.size() == 15);
  }
}

TEST_CASE("decodable fixtures: the scale of block (o, b) carries its coordinates") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked() || hasFloatScalePerGroup(spec.encoding)) continue;
    CAPTURE(std::string(spec.name));
    const auto fixture = *fixtures::decodable(spec.encoding);
    BlockParts first;
    unpackerOf(spec.encoding)(fixture.bytes.data(), first);
    for (uint64_t flat = 0; flat < 15; ++flat) {
      BlockParts parts;
      unpackerOf(spec.encoding)(fixture.bytes.data() + flat * spec.bytes, parts);
      const float expected = spec.encoding == Encoding::MXFP4
                                 ? std::ldexp(1.0f, static_cast<int>(flat))
                                 : static_cast<float>(flat / 3 * 16 + flat % 3 + 1);
      CHECK(parts.d[0] / first.d[0] == expected);  // the unit differs between encodings
    }
  }
}

TEST_CASE("decodable fixtures: y is x times the transpose of the decoded weight") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked()) continue;
    const auto fixture = *fixtures::decodable(spec.encoding);
    REQUIRE(fixture.y.size() == 10);
    REQUIRE(fixture.x.size() == 2 * fixture.inputDim);
    for (uint64_t c = 0; c < 2; ++c) {
      for (uint64_t o = 0; o < 5; ++o) {
        long double sum = 0;
        for (uint64_t i = fixture.inputDim; i-- > 0;) {
          sum += static_cast<long double>(fixture.x[c * fixture.inputDim + i]) *
                 fixture.decoded[o * fixture.inputDim + i];
        }
        const double y = fixture.y[c * 5 + o];
        CHECK(std::abs(static_cast<double>(sum) - y) <= std::abs(y) * 1e-6);
      }
    }
  }
}

TEST_CASE("decodable fixtures: ternary codes are ternary, and int8 codes have no -128") {
  for (const Encoding encoding :
       {Encoding::TQ1_0, Encoding::TQ2_0, Encoding::Q8_0, Encoding::Q8_1, Encoding::Q8_K}) {
    const EncodingSpec& spec = specOf(encoding);
    const auto fixture = *fixtures::decodable(encoding);
    const bool ternary = encoding == Encoding::TQ1_0 || encoding == Encoding::TQ2_0;
    for (uint64_t flat = 0; flat < 15; ++flat) {
      BlockParts parts;
      unpackerOf(encoding)(fixture.bytes.data() + flat * spec.bytes, parts);
      for (uint32_t i = 0; i < spec.elements; ++i) {
        REQUIRE(parts.codes[i] >= (ternary ? -1 : -127));
        REQUIRE(parts.codes[i] <= (ternary ? 1 : 127));
      }
    }
  }
}
