#include "base/half.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace packed {

TEST_CASE("half: every fp16 that is not NaN survives the way to f32 and back") {
  for (uint32_t h = 0; h < 65536; ++h) {
    if ((h & 0x7c00) == 0x7c00 && (h & 0x3ff) != 0) continue;
    REQUIRE(floatToHalf(halfToFloat(uint16_t(h))) == h);
  }
}

TEST_CASE("half: every finite fp16 is its mantissa times a power of two") {
  for (int h = 0; h < 0x7c00; ++h) {
    const int exponent = h >> 10;
    const int mantissa = exponent == 0 ? h : (h & 0x3ff) + 0x400;
    const float value = std::ldexp(float(mantissa), std::max(exponent, 1) - 25);
    REQUIRE(halfToFloat(uint16_t(h)) == value);
    REQUIRE(halfToFloat(uint16_t(h + 0x8000)) == -value);
  }
}

TEST_CASE("half: every NaN stays NaN in both directions") {
  for (uint32_t h = 0x7c01; h < 0x8000; ++h) {
    const float value = halfToFloat(uint16_t(h));
    REQUIRE(std::isnan(value));
    REQUIRE((floatToHalf(value) & 0x7c00) == 0x7c00);
    REQUIRE((floatToHalf(value) & 0x3ff) != 0);
  }
}

TEST_CASE(
    "half: a float between two neighbours rounds to the nearer, and halfway to the even one") {
  for (uint32_t h = 0; h < 0x7bff; ++h) {
    const double low = halfToFloat(uint16_t(h));
    const double high = halfToFloat(uint16_t(h + 1));
    const float middle = float((low + high) / 2);  // exact: one more bit than fp16 has
    REQUIRE(floatToHalf(middle) == (h & 1 ? h + 1 : h));
    REQUIRE(floatToHalf(std::nextafter(middle, 0.0f)) == h);
    REQUIRE(floatToHalf(std::nextafter(middle, 1e9f)) == h + 1);
  }
}

TEST_CASE("half: what exceeds the largest fp16 by half a step becomes infinity") {
  CHECK(floatToHalf(65519.996f) == 0x7bff);
  CHECK(floatToHalf(65520.0f) == 0x7c00);
  CHECK(floatToHalf(-65520.0f) == 0xfc00);
  CHECK(floatToHalf(INFINITY) == 0x7c00);
}

TEST_CASE("half: every bf16 that is not NaN survives the way to f32 and back") {
  for (uint32_t b = 0; b < 65536; ++b) {
    if ((b & 0x7f80) == 0x7f80 && (b & 0x7f) != 0) continue;
    REQUIRE(floatToBf16(bf16ToFloat(uint16_t(b))) == b);
  }
}

TEST_CASE("half: E8M0 is a power of two, down to the subnormal ones") {
  for (int e = 0; e < 256; ++e) {
    CHECK(double(halfOfE8m0(uint8_t(e))) == std::ldexp(1.0, e - 128));
  }
}

TEST_CASE("half: UE4M3 has bias 7, subnormals, and 0 for 0x7F") {
  CHECK(ue4m3ToFloat(0) == 0.0f);
  CHECK(ue4m3ToFloat(0x7f) == 0.0f);
  CHECK(ue4m3ToFloat(1) == 0x1p-9f);
  CHECK(ue4m3ToFloat(8) == 0x1p-6f);
  CHECK(ue4m3ToFloat(0x38) == 1.0f);
  CHECK(ue4m3ToFloat(0x7e) == 448.0f);
}

}  // namespace packed
