// diagnose of plain values where two mistakes leave the same bytes.
#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "support/mistakes.h"
#include "support/value_mistakes.h"

using namespace packed;
using mistakes::diagnosed;
using mistakes::Weight;

TEST_CASE(
    "diagnosis of values: rows interleaved by four or eight may be a stack of transposed "
    "matrices") {
  for (const auto& [out, rows] : {std::pair{8, 4}, {12, 4}, {16, 8}, {24, 8}}) {
    const Weight weight = mistakes::values(Encoding::F32, static_cast<uint64_t>(out), 27);
    std::vector<uint8_t> woven;
    for (int group = 0; group < out; group += rows) {
      for (int i = 0; i < 27; ++i) {
        for (int row = group; row < group + rows; ++row) {
          const auto at = weight.bytes.begin() + 4 * (row * 27 + i);
          woven.insert(woven.end(), at, at + 4);
        }
      }
    }
    const Diagnosis result = diagnosed(woven, weight, BlockOrder::ROW_MAJOR);
    CHECK_MESSAGE(result.kind == DiagnosisKind::UNDETERMINED, result.message);
    const auto& found = result.candidates;
    for (const auto kind : {DiagnosisKind::OTHER_ORDER, DiagnosisKind::INTERLEAVED_ROWS}) {
      CHECK(std::find(found.begin(), found.end(), kind) != found.end());
    }
  }
}
