#include "encoding/quantize.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/half.h"
#include "encoding/block_anatomy.h"
#include "encoding/codec.h"
#include "support/golden.h"
#include "support/quantized.h"

namespace packed {
namespace {

const std::set<Encoding> kSearching = {Encoding::Q2_K,  Encoding::Q3_K, Encoding::Q4_K,
                                       Encoding::Q5_K,  Encoding::Q6_K, Encoding::IQ4_NL,
                                       Encoding::IQ4_XS};

double weightedError(const std::vector<float>& a, const std::vector<float>& b,
                     const std::vector<float>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += weights[i % weights.size()] * (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
  }
  return sum;
}

}  // namespace

TEST_CASE("quantize: formats with one definition yield the reference's bytes") {
  int checked = 0;
  for (const auto& [encoding, error] : golden::entries()) {
    if (!quantizable(encoding) || kSearching.count(encoding)) continue;
    CAPTURE(nameOf(encoding));
    const auto expected = golden::bytes(encoding, "quantized.bin");
    const uint64_t inputDim = golden::kBlocksPerRow * specOf(encoding).elements;
    const auto actual = quantized(encoding, golden::floats(encoding, "source.f32"), inputDim);
    REQUIRE(actual.bytes.size() == expected.size());
    const auto [a, b] = std::mismatch(actual.bytes.begin(), actual.bytes.end(), expected.begin());
    CAPTURE(a - actual.bytes.begin());
    CHECK(a == actual.bytes.end());
    CHECK(actual.report.relativeRms == doctest::Approx(error).epsilon(1e-5));
    ++checked;
  }
  CHECK(checked == 11);
}

TEST_CASE("quantize: formats that search lose at most 1.02 times what the reference loses") {
  int checked = 0;
  for (const auto& [encoding, error] : golden::entries()) {
    if (!kSearching.count(encoding)) continue;
    CAPTURE(nameOf(encoding));
    const uint64_t inputDim = golden::kBlocksPerRow * specOf(encoding).elements;
    const auto actual = quantized(encoding, golden::floats(encoding, "source.f32"), inputDim);
    CHECK(actual.report.relativeRms <= 1.02 * error);
    ++checked;
  }
  CHECK(checked == 7);
}

TEST_CASE("quantize: NaN and infinity are refused with the element's index, nothing written") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!quantizable(spec.encoding)) continue;
    CAPTURE(spec.name);
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      for (const std::size_t at : {0u, 700u, 1535u}) {
        auto values = normalValues(3 * 512, 5);
        values[at] = bad;
        std::vector<uint8_t> bytes(*packedBytesOf(spec.encoding, 3, 512), 0xa5);
        const auto before = bytes;
        const auto report = quantize(spec.encoding, values, 512, {}, bytes);
        REQUIRE(!report.ok());
        CHECK(report.error().code == ErrorCode::ELEMENT_NOT_FINITE);
        CHECK(report.error().message.find("element " + std::to_string(at) + " ") == 0);
        CHECK(bytes == before);
      }
    }
  }
}

TEST_CASE("quantize: finite input never becomes NaN or infinity, however large or small") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!quantizable(spec.encoding)) continue;
    CAPTURE(spec.name);
    for (const float size : {1e-45f, 1e-40f, 1e-30f, 6e-8f, 1e-4f, 1e4f, 1e7f, 1e30f, 3e38f}) {
      CAPTURE(size);
      auto values = normalValues(512, 9);
      for (float& value : values) value = std::clamp(value, -1.0f, 1.0f) * size;
      std::vector<uint8_t> bytes(*packedBytesOf(spec.encoding, 1, 512));
      const auto report = quantize(spec.encoding, values, 512, {}, bytes);
      if (!report) {
        CHECK(report.error().code == ErrorCode::OUT_OF_RANGE);
        CHECK(std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; }));
        CHECK(size > (spec.encoding == Encoding::NVFP4 ? 2688 : 60000));
        continue;
      }
      for (const float value : decoded(spec.encoding, bytes)) REQUIRE(std::isfinite(value));
      if (size > 1e-4f) CHECK(report->relativeRms < 0.8);
    }
  }
}

TEST_CASE("quantize: where a scale overflows, the value that no scale can express is named") {
  std::vector<float> values(64);
  values[63] = 8e6f;
  std::vector<uint8_t> bytes(36);
  const auto report = quantize(Encoding::Q4_0, values, 64, {}, bytes);
  REQUIRE(!report.ok());
  CHECK(report.error().code == ErrorCode::OUT_OF_RANGE);
  CHECK(report.error().message.find("element 63 (row 0, input 63) is 8") != std::string::npos);
}

TEST_CASE("quantize: zeros stay zeros") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!quantizable(spec.encoding)) continue;
    CAPTURE(spec.name);
    const auto [bytes, report] = quantized(spec.encoding, std::vector<float>(512), 512);
    for (const float value : decoded(spec.encoding, bytes)) REQUIRE(value == 0);
    CHECK(report.relativeRms == 0);
  }
}

TEST_CASE("quantize: what an encoding can express exactly survives, subnormal scales included") {
  for (const float d : {0x1p-24f, 0x3p-24f, 0x1p-15f, 1.5f}) {
    CAPTURE(d);
    std::vector<float> values(256);
    for (int i = 0; i < 256; ++i) values[std::size_t(i)] = d * float(i % 3 - 1);
    for (const Encoding encoding : {Encoding::TQ1_0, Encoding::TQ2_0, Encoding::Q2_0}) {
      CAPTURE(nameOf(encoding));
      CHECK(decoded(encoding, quantized(encoding, values, 256).bytes) == values);
    }
    for (int i = 0; i < 256; ++i) values[std::size_t(i)] = d * float(i % 255 - 127);
    for (std::size_t i = 0; i < 256; i += 32) values[i] = 127 * d;
    CHECK(decoded(Encoding::Q8_0, quantized(Encoding::Q8_0, values, 256).bytes) == values);
  }
}

namespace {

// The golden blocks with `stored` as each fp16 scale and minimum, and `exponent` as each E8M0.
std::vector<uint8_t> goldenBlocksUnder(Encoding encoding, uint16_t stored, uint8_t exponent) {
  auto bytes = golden::bytes(encoding, "quantized.bin");
  for (std::size_t at = 0; at < bytes.size(); at += specOf(encoding).bytes) {
    for (const BlockField& field : anatomyOf(encoding)) {
      uint8_t* from = bytes.data() + at + field.offset;
      if (field.type == FieldType::E8M0) *from = exponent;
      if (field.type != FieldType::F16) continue;
      storeLE<uint16_t>(from, uint16_t((loadLE<uint16_t>(from) & 0x8000) | stored));
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("quantize: what a quantizer wrote is written again exactly, subnormal scales included") {
  // The definition of NVFP4 does not find its own scales again; the others have minimums to choose.
  const std::set<Encoding> close = {Encoding::Q2_K, Encoding::Q4_K, Encoding::Q5_K,
                                    Encoding::NVFP4};
  int exact = 0;
  for (const auto& [encoding, error] : golden::entries()) {
    if (!quantizable(encoding)) continue;
    CAPTURE(nameOf(encoding));
    const uint64_t inputDim = golden::kBlocksPerRow * specOf(encoding).elements;
    for (const uint16_t stored : {0x0001, 0x0003, 0x0155, 0x03ff, 0x0400, 0x3e00}) {
      CAPTURE(stored);
      const uint8_t exponent = stored < 0x0400 ? stored & 1 : 127;
      const auto values = decoded(encoding, goldenBlocksUnder(encoding, stored, exponent));
      const auto again = quantized(encoding, values, inputDim);
      if (close.count(encoding)) {
        CHECK(again.report.relativeRms < (stored < 8 ? 0.07 : 0.025));
        continue;
      }
      CHECK(again.report.maxAbs == 0);
      CHECK(decoded(encoding, again.bytes) == values);
      ++exact;
    }
  }
  CHECK(exact == 14 * 6);
}

TEST_CASE("quantize: NVFP4 finds every scale of its own, the subnormal ones included") {
  constexpr float kLevels[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (int scale = 1; scale < 0x7f; ++scale) {
    CAPTURE(scale);
    std::vector<float> values(64);
    for (std::size_t i = 0; i < 64; ++i) {
      values[i] = ue4m3ToFloat(uint8_t(scale)) * kLevels[i % 8] * (i & 8 ? -1.0f : 1.0f);
    }
    CHECK(decoded(Encoding::NVFP4, quantized(Encoding::NVFP4, values, 64).bytes) == values);
  }
}

TEST_CASE(
    "quantize: formats that search never lose more than zeros would, however small values are") {
  for (const Encoding encoding : kSearching) {
    CAPTURE(nameOf(encoding));
    for (int exponent = -34; exponent < 0; ++exponent) {
      CAPTURE(exponent);
      const auto normal = normalValues(512, uint32_t(100 + exponent), std::ldexp(1.0f, exponent));
      for (const auto& [pattern, shape] : std::map<std::string, float (*)(float, std::size_t)>{
               {"as they are", [](float value, std::size_t) { return value; }},
               {"positive", [](float value, std::size_t) { return std::fabs(value); }},
               {"negative", [](float value, std::size_t) { return -std::fabs(value); }},
               {"few", [](float value, std::size_t i) { return i % 37 == 5 ? value : 0; }},
               {"rising",
                [](float value, std::size_t i) { return value * float(i % 256) / 64; }}}) {
        CAPTURE(pattern);
        auto values = normal;
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = shape(normal[i], i);
        CHECK(quantized(encoding, values, 512).report.relativeRms <= 1.00001);
      }
    }
  }
}

TEST_CASE("quantize: importance lowers the weighted error where there is a choice") {
  const std::set<Encoding> fixed = {Encoding::F32, Encoding::F16,   Encoding::BF16,
                                    Encoding::F64, Encoding::TQ1_0, Encoding::TQ2_0};
  const auto values = normalValues(16 * 512, 21);
  std::vector<float> weights(512);
  for (std::size_t i = 0; i < 512; ++i) weights[i] = i % 4 == 0 ? 100.0f : 1.0f;
  for (const EncodingSpec& spec : allEncodings()) {
    if (!quantizable(spec.encoding)) continue;
    CAPTURE(spec.name);
    const auto plain = quantized(spec.encoding, values, 512);
    const auto weighted = quantized(spec.encoding, values, 512, weights);
    if (fixed.count(spec.encoding)) {
      CHECK(plain.bytes == weighted.bytes);
      continue;
    }
    CHECK(weightedError(values, decoded(spec.encoding, weighted.bytes), weights) <
          weightedError(values, decoded(spec.encoding, plain.bytes), weights));
  }
}

TEST_CASE("quantize: equal weights, and weights of zero, are as good as none for K formats") {
  const auto values = normalValues(512, 22);
  for (const Encoding encoding : kSearching) {
    const auto plain = quantized(encoding, values, 512);
    CHECK(plain.bytes == quantized(encoding, values, 512, std::vector<float>(512, 1)).bytes);
    CHECK(plain.bytes == quantized(encoding, values, 512, std::vector<float>(512, 0)).bytes);
  }
}

TEST_CASE("quantize: quantizing rows apart gives the same bytes as together") {
  const auto values = normalValues(4 * 256, 30);
  for (const EncodingSpec& spec : allEncodings()) {
    if (!quantizable(spec.encoding)) continue;
    CAPTURE(spec.name);
    const auto whole = quantized(spec.encoding, values, 256);
    std::vector<uint8_t> joined;
    for (int o = 0; o < 4; ++o) {
      const std::vector<float> row(values.begin() + 256 * o, values.begin() + 256 * (o + 1));
      const auto part = quantized(spec.encoding, row, 256);
      joined.insert(joined.end(), part.bytes.begin(), part.bytes.end());
    }
    CHECK(whole.bytes == joined);
  }
}

TEST_CASE("quantize: sizes that do not fit are refused before anything is written") {
  std::vector<float> values(512);
  std::vector<uint8_t> bytes(288);
  const auto code = [&](Encoding encoding, std::size_t count, uint64_t inputDim, std::size_t size,
                        std::size_t weights = 0) {
    const std::vector<float> importance(weights, 1);
    const auto report = quantize(encoding, std::span(values).first(count), inputDim, importance,
                                 MutableBytes(bytes).first(size));
    return report ? std::string("ok") : std::string(nameOf(report.error().code));
  };
  CHECK(code(Encoding::Q4_K, 512, 512, 288) == "ok");
  CHECK(code(Encoding::Q4_K, 512, 128, 288) == "NOT_BLOCK_DIVISIBLE");
  CHECK(code(Encoding::Q4_K, 512, 0, 288) == "SIZE_MISMATCH");
  CHECK(code(Encoding::Q4_K, 500, 256, 288) == "SIZE_MISMATCH");
  CHECK(code(Encoding::Q4_K, 512, 256, 287) == "SIZE_MISMATCH");
  CHECK(code(Encoding::Q4_K, 512, 256, 144) == "SIZE_MISMATCH");
  CHECK(code(Encoding::Q4_K, 512, 256, 288, 255) == "SIZE_MISMATCH");
  CHECK(code(Encoding::IQ2_XS, 512, 256, 148) == "UNSUPPORTED_ENCODING");
  CHECK(code(Encoding::I8, 0, 256, 0) == "UNSUPPORTED_ENCODING");
  CHECK(code(Encoding::Q4_K, 0, 256, 0) == "ok");
}

TEST_CASE("quantize: weights that are negative or not finite are refused") {
  const std::vector<float> values(256);
  std::vector<uint8_t> bytes(144);
  for (const float bad : {-1.0f, NAN, INFINITY}) {
    std::vector<float> importance(256, 1);
    importance[17] = bad;
    const auto report = quantize(Encoding::Q4_K, values, 256, importance, bytes);
    REQUIRE(!report.ok());
    CHECK(report.error().code == ErrorCode::INVALID_ARGUMENT);
    CHECK(report.error().message.find("importance[17]") == 0);
  }
}

TEST_CASE("quantize: what NVFP4 would clip is refused") {
  std::vector<float> values(64, 1);
  values[40] = 2689;
  std::vector<uint8_t> bytes(36);
  const auto report = quantize(Encoding::NVFP4, values, 64, {}, bytes);
  REQUIRE(!report.ok());
  CHECK(report.error().code == ErrorCode::OUT_OF_RANGE);
  CHECK(report.error().message.find("element 40 ") == 0);
  values[40] = 2688;
  CHECK(quantize(Encoding::NVFP4, values, 64, {}, bytes).ok());
}

TEST_CASE("quantize: only the proportions of importance count, however small or large") {
  const auto values = normalValues(512, 23);
  std::vector<float> weights(512);
  for (std::size_t i = 0; i < 512; ++i) weights[i] = float(1 + i % 5);
  for (const EncodingSpec& spec : allEncodings()) {
    if (!quantizable(spec.encoding)) continue;
    CAPTURE(spec.name);
    const auto expected = quantized(spec.encoding, values, 512, weights).bytes;
    for (const float factor : {0x1p-100f, 0x1p-20f, 0x1p100f}) {
      auto scaled = weights;
      for (float& weight : scaled) weight *= factor;
      CHECK(quantized(spec.encoding, values, 512, scaled).bytes == expected);
    }
  }
}

}  // namespace packed
