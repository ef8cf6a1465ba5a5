// diagnose where two or three mistakes have met.
#include <doctest/doctest.h>

#include "support/mistakes.h"

using namespace packed;
using mistakes::blockedEncodings;
using mistakes::kOrders;
using mistakes::Mistake;
using mistakes::Weight;

TEST_CASE("diagnosis: two mistakes together are never called foreign where only bytes have moved") {
  const auto onlyMoves = [](const Mistake& mistake) {
    return mistake.kind == DiagnosisKind::OTHER_ORDER ||
           mistake.kind == DiagnosisKind::PREPACKED_TWICE ||
           mistake.kind == DiagnosisKind::SWAPPED_LABEL ||
           mistake.kind == DiagnosisKind::ROW_PERMUTATION ||
           mistake.kind == DiagnosisKind::SCALES_ONLY || mistake.name == "rows rotated" ||
           mistake.name == "rotated by 5 bytes" || mistake.name == "the second half cut" ||
           mistake.name == "a header of 24 bytes not skipped" ||
           mistake.name == "rows interleaved 4x4" || mistake.name == "rows interleaved 8x8";
  };
  for (const Encoding encoding : {Encoding::Q4_0, Encoding::Q6_K}) {
    const Weight weight = mistakes::distinct(encoding, {16, 3});
    for (const Mistake& first : mistakes::all()) {
      if (!onlyMoves(first)) continue;
      const auto once = first.make(weight, BlockOrder::ROW_MAJOR);
      if (once.size() != weight.bytes.size()) continue;
      for (const Mistake& second : mistakes::all()) {
        if (!onlyMoves(second)) continue;
        const auto bytes =
            second.make({encoding, weight.grid, once}, BlockOrder::INPUT_BLOCK_MAJOR);
        const Diagnosis result = diagnosed(bytes, weight, BlockOrder::INPUT_BLOCK_MAJOR);
        CHECK_MESSAGE(result.kind != DiagnosisKind::FOREIGN, first.name, ", then ", second.name,
                      ": ", result.message);
      }
    }
  }
}

TEST_CASE("diagnosis: two mistakes together are named as one of the two, or not at all") {
  // Of relayouts one may undo the other, and what moves what is inside of a row may meet them.
  const auto ofGrid = [](DiagnosisKind kind) {
    return kind == DiagnosisKind::OTHER_ORDER || kind == DiagnosisKind::PREPACKED_TWICE ||
           kind == DiagnosisKind::SWAPPED_LABEL || kind == DiagnosisKind::ROW_PERMUTATION ||
           kind == DiagnosisKind::SHIFTED || kind == DiagnosisKind::PADDED_STRIDE ||
           kind == DiagnosisKind::INTERLEAVED_ROWS;
  };
  for (const Encoding encoding : {Encoding::Q4_0, Encoding::Q4_1, Encoding::Q6_K}) {
    const Weight weight = mistakes::distinct(encoding, {8, 5});
    for (const Mistake& first : mistakes::all()) {
      const auto once = first.make(weight, BlockOrder::ROW_MAJOR);
      if (once.size() != weight.bytes.size() || first.kind == DiagnosisKind::FOREIGN) continue;
      for (const Mistake& second : mistakes::all()) {
        if (ofGrid(first.kind) && ofGrid(second.kind)) continue;
        // Scales moved and codes moved are blocks moved.
        if (first.kind == second.kind) continue;
        const auto bytes = second.make({encoding, weight.grid, once}, BlockOrder::ROW_MAJOR);
        if (bytes.empty() || bytes == weight.bytes) continue;
        const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
        const bool honest = result.kind == first.kind || result.kind == second.kind ||
                            result.kind == DiagnosisKind::FOREIGN ||
                            result.kind == DiagnosisKind::UNDETERMINED;
        CHECK_MESSAGE(honest, std::string(nameOf(encoding)), ": ", first.name, ", then ",
                      second.name, " was called ", std::string(nameOf(result.kind)), ": ",
                      result.message);
      }
    }
  }
}

TEST_CASE("diagnosis: what is named of two or three mistakes explains most of what is there") {
  uint64_t state = 3;
  const auto drawn = [&](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  const BlockGrid grids[] = {{8, 8}, {64, 1}, {1, 97}, {7, 5}, {16, 3}, {3, 16}, {97, 1}, {13, 11}};
  const auto encodings = blockedEncodings();
  int named = 0;
  for (int round = 0; round < 6000; ++round) {
    const Weight weight =
        mistakes::distinct(encodings[drawn(encodings.size())], grids[drawn(std::size(grids))]);
    const BlockOrder order = kOrders[drawn(2)];
    Weight made = weight;
    std::string names;
    for (uint64_t left = 2 + drawn(2); left > 0; --left) {
      const Mistake& mistake = mistakes::all()[drawn(mistakes::all().size())];
      auto bytes = mistake.make(made, left > 1 ? BlockOrder::ROW_MAJOR : order);
      if (bytes.empty() || (left > 1 && bytes.size() != weight.bytes.size())) continue;
      made.bytes = std::move(bytes);
      names += mistake.name + ", ";
    }
    const Diagnosis result = diagnosed(made.bytes, weight, order);
    if (result.kind == DiagnosisKind::UNDETERMINED || result.kind == DiagnosisKind::FOREIGN)
      continue;
    const uint64_t least = std::min(result.total / 2, weight.grid.out * weight.grid.blocksPerRow);
    CHECK_MESSAGE(result.explained >= least, names, result.message);
    ++named;
  }
  CHECK(named > 500);
}
