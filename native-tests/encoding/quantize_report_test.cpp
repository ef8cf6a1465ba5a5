#include "encoding/quantize_report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/quantized.h"

namespace packed {
namespace {

// Whether two sums are the same but for the sequence of their additions, however small they are.
bool about(double a, double b) { return a == b || std::fabs(a - b) <= 1e-5 * std::fabs(b); }

void checkReport(Encoding encoding, const std::vector<float>& values, uint64_t inputDim) {
  const auto [bytes, report] = quantized(encoding, values, inputDim);
  const auto back = decoded(encoding, bytes);
  const auto relative = [](double lost, double squares) {
    return lost == 0 ? 0 : squares == 0 ? INFINITY : std::sqrt(lost / squares);
  };
  double lost = 0, squares = 0, maxAbs = 0;
  std::vector<double> rows;
  for (std::size_t first = 0; first < values.size(); first += inputDim) {
    double rowLost = 0, rowSquares = 0;
    for (std::size_t i = first; i < first + inputDim; ++i) {
      const double off = double(values[i]) - back[i];
      rowLost += off * off;
      rowSquares += double(values[i]) * values[i];
      maxAbs = std::max(maxAbs, std::fabs(off));
    }
    rows.push_back(relative(rowLost, rowSquares));
    lost += rowLost;
    squares += rowSquares;
  }
  const auto worst = std::max_element(rows.begin(), rows.end());
  CHECK(about(report.relativeRms, relative(lost, squares)));
  CHECK(about(report.maxAbs, maxAbs));
  CHECK(about(report.worstRowRms, *worst));
  CHECK(about(rows[report.worstRow], *worst));
}

}  // namespace

TEST_CASE("quantize: the report is what decoding the bytes again shows, however large or small") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!quantizable(spec.encoding)) continue;
    CAPTURE(spec.name);
    int checked = 0;
    // Squares of these are no floats any longer, at either end.
    for (const float size :
         {1e-44f, 1e-30f, 1e-18f, 1e-11f, 1e-6f, 1.0f, 400.0f, 1e12f, 1e16f, 1e19f, 1e30f, 1e38f}) {
      CAPTURE(size);
      auto values = normalValues(3 * 512, 5);
      for (float& value : values) value = std::clamp(value, -1.5f, 1.5f) * size;
      std::vector<uint8_t> bytes(*packedBytesOf(spec.encoding, 3, 512));
      if (!quantize(spec.encoding, values, 512, {}, bytes)) continue;
      checkReport(spec.encoding, values, 512);
      ++checked;
    }
    CHECK(checked >= 7);
  }
}

TEST_CASE("quantize: the report tells a loss that is tiny beside the values") {
  for (const float off : {1e-9f, 1e-12f, 1e-20f, 1e-38f}) {
    CAPTURE(off);
    // All can be expressed but one value, which becomes zero.
    std::vector<float> values(256, 1);
    values[77] = off;
    std::vector<uint8_t> bytes(512);
    const auto report = quantize(Encoding::F16, values, 256, {}, bytes);
    REQUIRE(report.ok());
    CHECK(about(report->maxAbs, off));
    CHECK(about(report->relativeRms, off / std::sqrt(255.0)));
  }
}

}  // namespace packed
