// Quantizing and decoding where nothing may be refused, and values as weights have them.
#pragma once

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "encoding/codec.h"
#include "encoding/quantize.h"

namespace packed {

struct Quantized {
  std::vector<uint8_t> bytes;
  QuantizeReport report;
};

inline Quantized quantized(Encoding encoding, const std::vector<float>& values, uint64_t inputDim,
                           const std::vector<float>& importance = {}) {
  Quantized result;
  result.bytes.resize(*packedBytesOf(encoding, values.size() / inputDim, inputDim));
  const auto report = quantize(encoding, values, inputDim, importance, result.bytes);
  REQUIRE_MESSAGE(report.ok(), (report ? "" : report.error().message));
  result.report = *report;
  return result;
}

inline std::vector<float> decoded(Encoding encoding, const std::vector<uint8_t>& bytes) {
  std::vector<float> values(bytes.size() / specOf(encoding).bytes * specOf(encoding).elements);
  REQUIRE(decode(encoding, bytes, values).ok());
  return values;
}

inline std::vector<float> normalValues(std::size_t count, uint32_t seed, float deviation = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

}  // namespace packed
