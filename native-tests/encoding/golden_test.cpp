#include "support/golden.h"

#include <doctest/doctest.h>

#include <bit>
#include <vector>

#include "encoding/codec.h"

namespace packed {
namespace {

// Index of the first value whose bits differ, or -1.
int64_t firstDifference(const std::vector<float>& a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<uint32_t>(a[i]) != std::bit_cast<uint32_t>(b[i])) return int64_t(i);
  }
  return -1;
}

void checkDecodes(Encoding encoding, const char* packedFile, const char* valuesFile) {
  CAPTURE(nameOf(encoding));
  CAPTURE(packedFile);
  const EncodingSpec& spec = specOf(encoding);
  const auto packed = golden::bytes(encoding, packedFile);
  const auto expected = golden::floats(encoding, valuesFile);
  REQUIRE(packed.size() == golden::kRows * golden::kBlocksPerRow * spec.bytes);
  REQUIRE(expected.size() == golden::kRows * golden::kBlocksPerRow * spec.elements);
  std::vector<float> actual(expected.size());
  const Status status = decode(encoding, packed, actual);
  REQUIRE_MESSAGE(status.ok(), (status ? "" : status.error().message));
  const int64_t at = firstDifference(actual, expected);
  CAPTURE(actual[std::size_t(at < 0 ? 0 : at)]);
  CAPTURE(expected[std::size_t(at < 0 ? 0 : at)]);
  CHECK(at == -1);
}

}  // namespace

TEST_CASE("golden: the manifest lists 25 encodings") { CHECK(golden::entries().size() == 25); }

TEST_CASE("golden: arbitrary bytes decode to the reference's bits in every encoding") {
  for (const auto& entry : golden::entries()) {
    checkDecodes(entry.encoding, "arbitrary.bin", "arbitrary.f32");
  }
}

TEST_CASE("golden: quantized bytes decode to the reference's bits in every encoding") {
  for (const auto& entry : golden::entries()) {
    checkDecodes(entry.encoding, "quantized.bin", "decoded.f32");
  }
}

}  // namespace packed
