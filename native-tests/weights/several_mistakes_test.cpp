// diagnose where two or three mistakes have met.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "support/mistakes.h"
#include "support/quantized.h"

using namespace packed;
using mistakes::blockedEncodings;
using mistakes::kOrders;
using mistakes::Mistake;
using mistakes::Weight;

namespace {

// A weight of TQ2_0 with the same two bytes as the scale of every block.
Weight withScale(uint16_t scale) {
  Weight weight = mistakes::distinct(Encoding::TQ2_0, {16, 3});
  for (std::size_t f = 0; f < 48; ++f) std::memcpy(weight.bytes.data() + f * 66 + 64, &scale, 2);
  return weight;
}

}  // namespace

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

TEST_CASE("diagnosis: rows that are found are rows there are, however many are equal") {
  int lists = 0;
  for (const std::size_t equal : {2u, 3u, 5u}) {
    Weight weight = mistakes::distinct(Encoding::Q4_0, {8, 4});
    const auto row = static_cast<std::ptrdiff_t>(weight.bytes.size() / 8);
    std::fill_n(weight.bytes.begin(), static_cast<std::ptrdiff_t>(equal) * row, uint8_t{0});
    for (std::ptrdiff_t a = 0; a < 8; ++a) {
      for (std::ptrdiff_t b = a + 1; b < 8; ++b) {
        auto bytes = weight.bytes;
        std::swap_ranges(bytes.begin() + a * row, bytes.begin() + (a + 1) * row,
                         bytes.begin() + b * row);
        if (bytes == weight.bytes) continue;
        const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
        if (!result.variant.starts_with("rows found: ")) continue;
        ++lists;
        std::istringstream found(result.variant.substr(12));
        std::vector<int> rows;
        for (uint64_t at = 0; found >> at;) {
          REQUIRE_MESSAGE(at < 8, result.variant);
          rows.push_back(static_cast<int>(at));
        }
        std::sort(rows.begin(), rows.end());
        CHECK(rows == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
      }
    }
  }
  CHECK(lists > 10);
}

TEST_CASE("diagnosis: where a weight has a single scale, another scale is no proven constant") {
  const Weight weight = withScale(0x2a11);
  const auto bytes = withScale(0x3d42).bytes;  // nearly the same number, as BF16
  const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
  REQUIRE_MESSAGE(result.kind == DiagnosisKind::UNDETERMINED, result.message);
  CHECK(std::count(result.candidates.begin(), result.candidates.end(),
                   DiagnosisKind::CONSTANT_OFFSET) == 1);
  CHECK(std::count(result.candidates.begin(), result.candidates.end(), DiagnosisKind::FOREIGN) ==
        1);
}

TEST_CASE("diagnosis: one damaged scale of a weight that has a single one is damage of one block") {
  const Weight weight = withScale(0x2a11);
  auto bytes = weight.bytes;
  bytes[20 * 66 + 64] ^= 0x40;
  const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
  CHECK_MESSAGE(result.message.find("another scale") == std::string::npos, result.message);
  CHECK_MESSAGE(result.kind == DiagnosisKind::UNDETERMINED, result.message);
}

TEST_CASE("diagnosis: codes that left their scales behind did not move as blocks") {
  for (const Encoding encoding : {Encoding::TQ1_0, Encoding::Q8_0, Encoding::Q6_K}) {
    const Weight weight = {encoding,
                           {16, 6},
                           quantized(encoding, normalValues(16 * 6 * specOf(encoding).elements, 7),
                                     6 * specOf(encoding).elements)
                               .bytes};
    for (const Mistake& mistake : mistakes::all()) {
      if (mistake.name != "codes in the other order") continue;
      auto bytes = mistake.make(weight, BlockOrder::ROW_MAJOR);
      for (std::size_t block = 5; block < 8; ++block) {
        for (std::size_t i = 8; i < 28; ++i) bytes[block * weight.blockBytes() + i] ^= 0x55;
      }
      const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
      CHECK_MESSAGE(
          (result.kind == DiagnosisKind::SCALES_ONLY || result.kind == DiagnosisKind::UNDETERMINED),
          result.message);
    }
  }
}

TEST_CASE("diagnosis: blocks of which a part is the reference's are not all foreign") {
  int cases = 0;
  for (const Encoding encoding : blockedEncodings()) {
    const Weight weight = mistakes::distinct(encoding, {4, 4});
    for (const Mistake& mistake : mistakes::all()) {
      if (mistake.name != "scales big-endian" && mistake.name != "scales doubled") continue;
      for (const Mistake& second : mistakes::all()) {
        if (second.name != "scales big-endian" && second.name != "scales doubled") continue;
        // Scales of one byte have no byte order, and not all can be doubled.
        const auto once = mistake.make(weight, BlockOrder::ROW_MAJOR);
        if (once == weight.bytes || mistake.name == second.name) continue;
        const auto bytes = second.make({encoding, weight.grid, once}, BlockOrder::ROW_MAJOR);
        if (bytes == once) continue;
        ++cases;
        const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
        CHECK_MESSAGE(result.kind != DiagnosisKind::FOREIGN, result.message);
      }
    }
  }
  CHECK(cases >= 30);
}

TEST_CASE("diagnosis: a mistake among bytes of too many is the one that it is without them") {
  int named = 0;
  for (const Encoding encoding : {Encoding::Q4_0, Encoding::Q4_1, Encoding::Q6_K}) {
    const Weight weight = mistakes::distinct(encoding, {24, 5});
    const uint64_t size = weight.bytes.size();
    for (const BlockOrder order : kOrders) {
      for (const Mistake& mistake : mistakes::all()) {
        const auto bytes = mistake.make(weight, order);
        if (bytes.size() != size || bytes == mistakes::inOrder(weight, order)) continue;
        const Diagnosis alone = diagnosed(bytes, weight, order);
        if (alone.kind != mistake.kind || alone.kind == DiagnosisKind::FOREIGN) continue;
        // Shifts and strides are distances themselves, and what ends in zeros ends in more of them.
        if (alone.kind == DiagnosisKind::SHIFTED || alone.kind == DiagnosisKind::PADDED_STRIDE ||
            alone.kind == DiagnosisKind::TRUNCATED) {
          continue;
        }
        for (const bool front : {true, false}) {
          std::vector<uint8_t> longer = bytes;
          const std::vector<uint8_t> rest(70, 0x47);
          longer.insert(front ? longer.begin() : longer.end(), rest.begin(), rest.end());
          const Diagnosis result = diagnosed(longer, weight, order);
          REQUIRE_MESSAGE(result.kind == alone.kind, mistake.name, ": ", result.message);
          CHECK(result.variant == alone.variant);
          CHECK(result.message ==
                alone.message + "; besides, 70 bytes too many " + (front ? "in front" : "behind"));
          const std::string taken =
              front ? "70, " + std::to_string(70 + size) : "0, " + std::to_string(size);
          CHECK(result.fix == "take bytes.subarray(" + taken + ") for bytes, then " + alone.fix);
          ++named;
        }
      }
    }
  }
  CHECK(named > 200);
}

TEST_CASE(
    "diagnosis: a mistake inside of blocks and another one are both named, with a step for each") {
  const auto inside = [](const Mistake& mistake) {
    const DiagnosisKind kind = mistake.kind;
    // A factor of scales is known up to rounding, so not undone byte for byte.
    return kind == DiagnosisKind::NIBBLE_ORDER || kind == DiagnosisKind::SCALE_BYTES ||
           (kind == DiagnosisKind::CONSTANT_OFFSET && mistake.name != "scales doubled");
  };
  int named = 0;
  for (const Encoding encoding : {Encoding::Q4_0, Encoding::Q5_0, Encoding::Q8_0}) {
    const Weight weight = mistakes::distinct(encoding, {24, 5});
    for (const Mistake& first : mistakes::all()) {
      if (!inside(first)) continue;
      const auto once = first.make(weight, BlockOrder::ROW_MAJOR);
      const Diagnosis one = diagnosed(once, weight, BlockOrder::ROW_MAJOR);
      if (once.empty() || one.kind != first.kind) continue;
      for (const BlockOrder order : kOrders) {
        for (const Mistake& second : mistakes::all()) {
          const bool moves = second.kind == DiagnosisKind::OTHER_ORDER ||
                             second.kind == DiagnosisKind::PREPACKED_TWICE ||
                             second.kind == DiagnosisKind::SWAPPED_LABEL;
          if (!moves && !(inside(second) && second.kind != first.kind)) continue;
          const auto alone = second.make(weight, order);
          const Diagnosis two = diagnosed(alone, weight, order);
          const auto bytes = second.make({encoding, weight.grid, once}, order);
          if (bytes.empty() || two.kind != second.kind) continue;
          const Diagnosis result = diagnosed(bytes, weight, order);
          const auto text = [&](std::string_view part) {
            return result.message.find(part) != std::string::npos;
          };
          if (result.kind == DiagnosisKind::UNDETERMINED) continue;
          CHECK_MESSAGE((result.kind == one.kind || result.kind == two.kind), result.message);
          CHECK_MESSAGE((text(meaningOf(one.kind)) && text(meaningOf(two.kind))), first.name,
                        ", then ", second.name, ": ", result.message);
          CHECK(result.explained == 120);
          CHECK(result.fix.starts_with("first inside of each block: "));
          if (moves) CHECK(result.kind == two.kind);
          if (moves) CHECK(result.fix.ends_with("; then " + two.fix));
          ++named;
        }
      }
    }
  }
  MESSAGE("named " << named);
  CHECK(named > 60);
}

TEST_CASE(
    "diagnosis: rows in another sequence that were also left in the other order are named as "
    "both") {
  const auto carriedOut = [](const std::vector<uint8_t>& bytes, const Weight& weight,
                             BlockOrder order) {
    // A forgotten relayout mends itself: the bytes are what the other order would be.
    const BlockOrder other =
        order == BlockOrder::ROW_MAJOR ? BlockOrder::INPUT_BLOCK_MAJOR : BlockOrder::ROW_MAJOR;
    return diagnosed(bytes, weight, other);
  };
  int named = 0;
  for (const Encoding encoding : {Encoding::Q4_0, Encoding::Q6_K}) {
    for (const BlockGrid grid : {BlockGrid{24, 5}, BlockGrid{64, 6}}) {
      const Weight weight = mistakes::distinct(encoding, grid);
      for (const Mistake& rows : mistakes::all()) {
        if (rows.kind != DiagnosisKind::ROW_PERMUTATION) continue;
        const auto once = rows.make(weight, BlockOrder::ROW_MAJOR);
        const Diagnosis one = diagnosed(once, weight, BlockOrder::ROW_MAJOR);
        // What was found by looking for each row is no rule that could meet another.
        if (one.kind != rows.kind || one.variant.starts_with("rows found")) continue;
        for (const BlockOrder order : kOrders) {
          for (const Mistake& relayout : mistakes::all()) {
            if (relayout.kind != DiagnosisKind::OTHER_ORDER) continue;
            const auto bytes = relayout.make({encoding, grid, once}, order);
            if (bytes.size() != weight.bytes.size()) continue;
            const Diagnosis result = diagnosed(bytes, weight, order);
            CHECK_MESSAGE(result.message.find("and besides") != std::string::npos, result.message);
            const Diagnosis two = diagnosed(relayout.make(weight, order), weight, order);
            CHECK(result.fix == "first " + two.fix + "; then " + one.fix);
            CHECK(result.kind == DiagnosisKind::OTHER_ORDER);
            CHECK(result.explained == grid.out * grid.blocksPerRow);
            CHECK(carriedOut(bytes, weight, order).kind == DiagnosisKind::ROW_PERMUTATION);
            ++named;
          }
        }
      }
    }
  }
  CHECK(named == 24);
}
