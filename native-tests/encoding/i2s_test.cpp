#include "encoding/i2s.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/bits.h"
#include "base/half.h"

namespace packed {
namespace {

constexpr std::array kTernary = {TernaryEncoding::TQ1_0, TernaryEncoding::TQ2_0,
                                 TernaryEncoding::BITNET_B1_58};

std::vector<float> ternaryValues(std::size_t count, float scale, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = scale * float(int(random() % 3) - 1);
  return values;
}

// Where I2_S keeps the code of an element in the stated order, from its definition.
struct CodePlace {
  std::size_t byte;
  int shift;
};

CodePlace placeOf(std::size_t element, I2sOrder order) {
  if (order == I2sOrder::SEQUENTIAL) return {element / 4, 2 * int(element % 4)};
  const std::size_t group = order == I2sOrder::GROUP_128 ? 128 : 64;
  const std::size_t k = element % group;
  return {element / group * group / 4 + k % (group / 4), 6 - 2 * int(k / (group / 4))};
}

std::vector<uint8_t> storedI2s(const std::vector<float>& values, I2sOrder order, float scale,
                               std::size_t trailer = 32) {
  const std::size_t codeBytes = (values.size() + 3) / 4;
  std::vector<uint8_t> bytes(codeBytes + trailer);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int code = values[i] > 0 ? 2 : values[i] < 0 ? 0 : 1;
    const auto [byte, shift] = placeOf(i, order);
    bytes[byte] = uint8_t(bytes[byte] | code << shift);
  }
  storeLE<float>(bytes.data() + codeBytes, scale);
  return bytes;
}

std::string codeOf(const Result<float>& result) {
  return result ? "ok" : std::string(nameOf(result.error().code));
}

}  // namespace

TEST_CASE("ternary: values survive every ternary encoding exactly") {
  for (const TernaryEncoding encoding : kTernary) {
    CAPTURE(nameOf(encoding));
    for (const float scale : {1.0f, 0.375f, 0x1p-24f, 65504.0f, 0.0f}) {
      const auto values = ternaryValues(1024, scale);
      std::vector<uint8_t> bytes(*ternaryBytesOf(encoding, values.size()));
      const auto written = encodeTernary(encoding, values, bytes);
      REQUIRE(written.ok());
      CHECK(*written == scale);
      std::vector<float> back(values.size());
      REQUIRE(decodeTernary(encoding, bytes, back).ok());
      CHECK(back == values);
    }
  }
}

TEST_CASE("ternary: BITNET_B1_58 has no blocks: any count, and any f32 scale") {
  for (std::size_t count = 0; count < 70; ++count) {
    const auto values = ternaryValues(count, 0.1f, uint32_t(count));
    std::vector<uint8_t> bytes(*ternaryBytesOf(TernaryEncoding::BITNET_B1_58, count));
    CHECK(bytes.size() == (count + 3) / 4 + 4);
    REQUIRE(encodeTernary(TernaryEncoding::BITNET_B1_58, values, bytes).ok());
    std::vector<float> back(count);
    REQUIRE(decodeTernary(TernaryEncoding::BITNET_B1_58, bytes, back).ok());
    CHECK(back == values);
  }
}

TEST_CASE("ternary: a scale that fp16 would round is refused by the formats that store fp16") {
  const auto values = ternaryValues(256, 0.1f);
  std::vector<uint8_t> bytes(66);
  CHECK(codeOf(encodeTernary(TernaryEncoding::TQ2_0, values, bytes)) == "INVALID_ARGUMENT");
}

TEST_CASE("ternary: a value that is none of -s, 0, +s is refused with its index") {
  auto values = ternaryValues(256, 1);
  values[200] = 0.5f;
  std::vector<uint8_t> bytes(68, 0xa5);
  const auto before = bytes;
  const auto result = encodeTernary(TernaryEncoding::BITNET_B1_58, values, bytes);
  CHECK(codeOf(result) == "INVALID_ARGUMENT");
  CHECK(result.error().message.find("element 200 ") == 0);
  values[200] = NAN;
  CHECK(codeOf(encodeTernary(TernaryEncoding::BITNET_B1_58, values, bytes)) ==
        "ELEMENT_NOT_FINITE");
  CHECK(bytes == before);
}

TEST_CASE("ternary: code 3 is refused with its element when decoding") {
  std::vector<float> to(256);
  std::vector<uint8_t> tq2(66, 0x55);
  tq2[40] = 0x75;  // element 128 + 32 * 2 + 8
  const auto blocks = decodeTernary(TernaryEncoding::TQ2_0, tq2, to);
  REQUIRE(!blocks.ok());
  CHECK(blocks.error().code == ErrorCode::INVALID_CODE);
  CHECK(blocks.error().message.find("element 200 ") == 0);
  CHECK(blocks.error().offset == 40);
  std::vector<uint8_t> bitnet(68, 0x55);
  bitnet[10] = 0x5d;
  const auto flat = decodeTernary(TernaryEncoding::BITNET_B1_58, bitnet, to);
  REQUIRE(!flat.ok());
  CHECK(flat.error().message.find("element 41 ") == 0);
}

TEST_CASE("I2_S: each stated order yields the values that were stored in it") {
  for (const I2sOrder order : {I2sOrder::GROUP_128, I2sOrder::GROUP_64, I2sOrder::SEQUENTIAL}) {
    for (const std::size_t trailer : {4u, 32u}) {
      const auto values = ternaryValues(640, 0.7f, 3);
      std::vector<uint8_t> bitnet(164);
      const auto scale = importI2S(storedI2s(values, order, 0.7f, trailer), 640, order, bitnet);
      REQUIRE(scale.ok());
      CHECK(*scale == 0.7f);
      std::vector<float> back(640);
      REQUIRE(decodeTernary(TernaryEncoding::BITNET_B1_58, bitnet, back).ok());
      CHECK(back == values);
    }
  }
}

TEST_CASE("I2_S: one +1 at 33 of 128 lands elsewhere in every other order, so none is guessed") {
  std::vector<float> values(128);
  values[33] = 1;
  const auto stored = storedI2s(values, I2sOrder::GROUP_128, 1);
  std::vector<uint8_t> bitnet(36);
  std::vector<float> back(128);
  const auto positionOf = [&](I2sOrder order) {
    REQUIRE(importI2S(stored, 128, order, bitnet).ok());
    REQUIRE(decodeTernary(TernaryEncoding::BITNET_B1_58, bitnet, back).ok());
    return std::find(back.begin(), back.end(), 1.0f) - back.begin();
  };
  CHECK(positionOf(I2sOrder::GROUP_128) == 33);
  CHECK(positionOf(I2sOrder::GROUP_64) == 17);
  CHECK(positionOf(I2sOrder::SEQUENTIAL) == 6);
  CHECK(codeOf(importI2S(stored, 128, std::nullopt, bitnet)) == "ORDER_REQUIRED");
  CHECK(!i2sOrderByName("").ok());
  CHECK(!i2sOrderByName("auto").ok());
  CHECK(*i2sOrderByName("group64") == I2sOrder::GROUP_64);
}

TEST_CASE("I2_S: code 3 is refused with its element, wherever it is, in each stated order") {
  for (const I2sOrder order : {I2sOrder::GROUP_128, I2sOrder::GROUP_64, I2sOrder::SEQUENTIAL}) {
    const auto stored = storedI2s(ternaryValues(384, 1), order, 1);
    for (std::size_t element = 0; element < 384; ++element) {
      const auto [byte, shift] = placeOf(element, order);
      auto broken = stored;
      broken[byte] = uint8_t(broken[byte] | 3 << shift);
      std::vector<uint8_t> bitnet(100, 0xa5);
      const auto result = importI2S(broken, 384, order, bitnet);
      REQUIRE(codeOf(result) == "INVALID_CODE");
      REQUIRE(result.error().message.find("element " + std::to_string(element) + " ") == 0);
      REQUIRE(result.error().offset == byte);
      REQUIRE(bitnet == std::vector<uint8_t>(100));
    }
  }
}

TEST_CASE("I2_S: of several codes 3 the first element is named, not the first byte") {
  const auto values = ternaryValues(128, 1);
  auto stored = storedI2s(values, I2sOrder::GROUP_128, 1);
  for (const std::size_t element : {64u, 33u, 127u}) {
    const auto [byte, shift] = placeOf(element, I2sOrder::GROUP_128);
    stored[byte] = uint8_t(stored[byte] | 3 << shift);
  }
  std::vector<uint8_t> bitnet(36);
  const auto result = importI2S(stored, 128, I2sOrder::GROUP_128, bitnet);
  CHECK(codeOf(result) == "INVALID_CODE");
  CHECK(result.error().message.find("element 33 ") == 0);
}

TEST_CASE("ternary: a scale that is NaN or infinite is refused, imported or decoded") {
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    for (const I2sOrder order : {I2sOrder::GROUP_128, I2sOrder::GROUP_64, I2sOrder::SEQUENTIAL}) {
      std::vector<uint8_t> bitnet(36, 0xa5);
      const auto imported =
          importI2S(storedI2s(ternaryValues(128, 1), order, bad), 128, order, bitnet);
      REQUIRE(codeOf(imported) == "ELEMENT_NOT_FINITE");
      CHECK(imported.error().offset == 32);
      CHECK(bitnet == std::vector<uint8_t>(36, 0xa5));
    }
    for (const TernaryEncoding encoding : kTernary) {
      CAPTURE(nameOf(encoding));
      std::vector<uint8_t> bytes(*ternaryBytesOf(encoding, 512));
      REQUIRE(encodeTernary(encoding, ternaryValues(512, 1), bytes).ok());
      const bool half = encoding != TernaryEncoding::BITNET_B1_58;
      const std::size_t at = bytes.size() - (half ? 2 : 4);
      if (half) {
        storeHalf(bytes.data() + at, bad);
      } else {
        storeLE<float>(bytes.data() + at, bad);
      }
      std::vector<float> values(512);
      const Status decoded = decodeTernary(encoding, bytes, values);
      REQUIRE(!decoded.ok());
      CHECK(decoded.error().code == ErrorCode::ELEMENT_NOT_FINITE);
      CHECK(decoded.error().offset == at);
    }
  }
}

TEST_CASE("I2_S: sizes that do not fit are refused") {
  std::vector<uint8_t> bitnet(36);
  const auto sized = [&](std::size_t size, uint64_t count, I2sOrder order) {
    return codeOf(importI2S(std::vector<uint8_t>(size, 0x55), count, order, bitnet));
  };
  CHECK(sized(32, 128, I2sOrder::GROUP_128) == "SIZE_MISMATCH");
  CHECK(sized(35, 128, I2sOrder::GROUP_128) == "SIZE_MISMATCH");
  CHECK(sized(65, 128, I2sOrder::GROUP_128) == "SIZE_MISMATCH");
  CHECK(sized(64, 128, I2sOrder::GROUP_128) == "ok");
  CHECK(sized(48, 64, I2sOrder::GROUP_128) == "NOT_BLOCK_DIVISIBLE");
  CHECK(sized(48, 96, I2sOrder::GROUP_64) == "NOT_BLOCK_DIVISIBLE");
  CHECK(sized(64, 125, I2sOrder::SEQUENTIAL) == "ok");
}

}  // namespace packed
