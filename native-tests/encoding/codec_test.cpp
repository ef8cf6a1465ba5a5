#include "encoding/codec.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "base/half.h"

namespace packed {
namespace {

std::vector<uint8_t> randomBytes(std::size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = uint8_t(random());
  return bytes;
}

template <class Stored>
float decodeOne(Encoding encoding, Stored stored) {
  uint8_t bytes[sizeof stored];
  storeLE(bytes, stored);
  float value = 0;
  REQUIRE(decode(encoding, bytes, {&value, 1}).ok());
  return value;
}

}  // namespace

TEST_CASE("codec: every encoding of the list can be decoded") {
  for (const EncodingSpec& spec : allEncodings()) {
    CAPTURE(spec.name);
    CHECK(decodable(spec.encoding));
  }
}

TEST_CASE("codec: integers of any block stay within the bounds that integer kernels rely on") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked()) continue;
    CAPTURE(spec.name);
    const auto bytes = randomBytes(spec.bytes * 200, 7);
    for (uint32_t b = 0; b < 200; ++b) {
      BlockParts parts;
      unpackerOf(spec.encoding)(bytes.data() + b * spec.bytes, parts);
      for (uint32_t g = 0; g < spec.elements / spec.group; ++g) {
        CHECK(std::abs(parts.scales[g]) <= 128);
        CHECK(parts.mins[g] >= 0);
        CHECK(parts.mins[g] <= 63);
      }
    }
  }
}

TEST_CASE("codec: unpacking sets every field of the parts that the encoding uses") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked()) continue;
    CAPTURE(spec.name);
    const auto block = randomBytes(spec.bytes, 11);
    BlockParts once, again;
    std::memset(&once, 0x55, sizeof once);
    std::memset(&again, 0xaa, sizeof again);
    unpackerOf(spec.encoding)(block.data(), once);
    unpackerOf(spec.encoding)(block.data(), again);
    const uint32_t groups = spec.elements / spec.group;
    CHECK(std::equal(once.codes, once.codes + spec.elements, again.codes));
    CHECK(std::equal(once.scales, once.scales + groups, again.scales));
    CHECK(std::equal(once.mins, once.mins + groups, again.mins));
    CHECK(std::memcmp(&once.d[0], &again.d[0], sizeof(float)) == 0);
    CHECK(std::memcmp(&once.dmin, &again.dmin, sizeof(float)) == 0);
  }
}

TEST_CASE("codec: Q8_1 is Q8_0 with a sum after its scale") {
  const auto q8_0 = randomBytes(34, 3);
  std::vector<uint8_t> q8_1(36);
  std::copy(q8_0.begin(), q8_0.begin() + 2, q8_1.begin());
  std::copy(q8_0.begin() + 2, q8_0.end(), q8_1.begin() + 4);
  std::vector<float> a(32), b(32);
  REQUIRE(decode(Encoding::Q8_0, q8_0, a).ok());
  REQUIRE(decode(Encoding::Q8_1, q8_1, b).ok());
  CHECK(std::memcmp(a.data(), b.data(), 128) == 0);
}

TEST_CASE("codec: Q8_K multiplies int8 codes with an f32 scale and ignores its sums") {
  std::vector<uint8_t> block(292, 0xff);
  storeLE<float>(block.data(), 0.3f);
  for (int i = 0; i < 256; ++i) block[4 + i] = uint8_t(i);
  std::vector<float> values(256);
  REQUIRE(decode(Encoding::Q8_K, block, values).ok());
  for (int i = 0; i < 256; ++i) CHECK(values[std::size_t(i)] == 0.3f * float(int8_t(uint8_t(i))));
}

TEST_CASE("codec: plain encodings convert value by value") {
  CHECK(decodeOne<float>(Encoding::F32, -0.1f) == -0.1f);
  CHECK(decodeOne<uint16_t>(Encoding::F16, 0x3555) == 0x1.554p-2f);
  CHECK(decodeOne<uint16_t>(Encoding::BF16, 0x3eab) == 0x1.56p-2f);
  CHECK(decodeOne<double>(Encoding::F64, 0.1) == 0.1f);
  CHECK(decodeOne<int8_t>(Encoding::I8, -128) == -128.0f);
  CHECK(decodeOne<int16_t>(Encoding::I16, -32768) == -32768.0f);
  CHECK(decodeOne<int32_t>(Encoding::I32, 16777217) == 16777216.0f);
  CHECK(decodeOne<int64_t>(Encoding::I64, INT64_MIN) == -0x1p63f);
}

TEST_CASE("codec: F16 decodes all 65536 bit patterns as their definition says") {
  for (uint32_t h = 0; h < 65536; ++h) {
    const int exponent = int(h >> 10 & 31);
    const int mantissa = int(h & 1023);
    const float value = decodeOne<uint16_t>(Encoding::F16, uint16_t(h));
    const bool negative = h >> 15;
    if (exponent == 31 && mantissa != 0) {
      REQUIRE(std::isnan(value));
      continue;
    }
    double expected =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    if (exponent == 31) expected = HUGE_VAL;
    REQUIRE(double(value) == (negative ? -expected : expected));
    REQUIRE(std::signbit(value) == negative);
  }
}

TEST_CASE("codec: BF16 decodes all 65536 bit patterns to the upper half of an f32") {
  for (uint32_t b = 0; b < 65536; ++b) {
    const float value = decodeOne<uint16_t>(Encoding::BF16, uint16_t(b));
    REQUIRE(std::bit_cast<uint32_t>(value) == b << 16);
  }
}

TEST_CASE("codec: refuses bytes that are not whole blocks and says what is left over") {
  std::vector<float> to(32);
  const Status status = decode(Encoding::Q4_0, randomBytes(20, 1), to);
  REQUIRE(!status.ok());
  CHECK(status.error().code == ErrorCode::SIZE_MISMATCH);
  CHECK(status.error().offset == 18);
}

TEST_CASE("codec: refuses a destination that is too short or too long") {
  const auto bytes = randomBytes(36, 1);
  for (const std::size_t size : {0u, 63u, 65u}) {
    std::vector<float> to(size);
    const Status status = decode(Encoding::Q4_0, bytes, to);
    REQUIRE(!status.ok());
    CHECK(status.error().code == ErrorCode::SIZE_MISMATCH);
    CHECK(status.error().expected == "64");
  }
}

}  // namespace packed
