// diagnose where all bytes were written as words in the other byte order.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/mistakes.h"
#include "support/quantized.h"

using namespace packed;
using mistakes::kOrders;
using mistakes::Weight;

namespace {

using Buffer = std::vector<uint8_t>;

// What the fix says: `word` bytes at a time, turned round.
Buffer turnedRound(Buffer bytes, std::size_t word) {
  for (auto at = bytes.begin(); bytes.end() - at >= static_cast<std::ptrdiff_t>(word);
       at += static_cast<std::ptrdiff_t>(word)) {
    std::reverse(at, at + static_cast<std::ptrdiff_t>(word));
  }
  return bytes;
}

}  // namespace

TEST_CASE("diagnosis: bytes of whole words in reverse are named, wherever blocks begin and end") {
  for (const Encoding encoding : mistakes::blockedEncodings()) {
    for (const BlockGrid grid : {BlockGrid{7, 3}, BlockGrid{16, 5}}) {
      const Weight weight = mistakes::distinct(encoding, grid);
      for (const BlockOrder order : kOrders) {
        for (const std::size_t word : {2, 4, 8}) {
          const Buffer bytes = turnedRound(mistakes::inOrder(weight, order), word);
          const Diagnosis result = mistakes::diagnosed(bytes, weight, order);
          CHECK_MESSAGE(result.kind == DiagnosisKind::SCALE_BYTES, result.message);
          const std::string each = "each " + std::to_string(word) + " bytes";
          CHECK_MESSAGE(result.variant == each + " in reverse", result.variant);
          CHECK_MESSAGE(result.fix.starts_with("turn " + each + " round: "), result.fix);
        }
      }
    }
  }
}

TEST_CASE("diagnosis: plain values in words that are not theirs are named too") {
  const auto values = normalValues(48 * 64, 3);
  for (const Encoding encoding : {Encoding::F32, Encoding::F16, Encoding::BF16, Encoding::F64}) {
    const Buffer right = quantized(encoding, values, 64).bytes;
    const Weight weight{encoding, {48, 64}, right};
    for (const std::size_t word : {2, 4, 8}) {
      const Diagnosis result =
          mistakes::diagnosed(turnedRound(right, word), weight, BlockOrder::ROW_MAJOR);
      CHECK_MESSAGE(result.kind == DiagnosisKind::SCALE_BYTES, result.message);
      const bool own = word == specOf(encoding).bytes;
      CHECK(result.variant == (own ? std::string("values big-endian")
                                   : "each " + std::to_string(word) + " bytes in reverse"));
      CHECK(result.explained == 48 * 64);
    }
  }
}
