#include "weights/diagnosis.h"

#include <doctest/doctest.h>

#include <map>

#include "encoding/block_anatomy.h"
#include "support/mistakes.h"
#include "weights/fixtures.h"

using namespace packed;
using mistakes::blockedEncodings;
using mistakes::kOrders;
using mistakes::Mistake;
using mistakes::Weight;

namespace {

std::vector<uint8_t> made(const std::string& name, const Weight& weight, BlockOrder order) {
  for (const Mistake& mistake : mistakes::all()) {
    if (mistake.name == name) return mistake.make(weight, order);
  }
  FAIL(name);
  return {};
}

// Every mistake on the weight: the right kind, UNDETERMINED, or no mistake at all because the bytes
// are the right ones. Returns how many kinds were named.
int checkAll(const Weight& weight, BlockOrder order) {
  const auto right = mistakes::inOrder(weight, order);
  int named = 0;
  for (const Mistake& mistake : mistakes::all()) {
    const auto bytes = mistake.make(weight, order);
    if (bytes.empty()) continue;
    const Diagnosis result = diagnosed(bytes, weight, order);
    const bool honest =
        bytes == right ? result.kind == DiagnosisKind::AGREES
                       : result.kind == mistake.kind || result.kind == DiagnosisKind::UNDETERMINED;
    CHECK_MESSAGE(honest, std::string(nameOf(weight.encoding)), " ", weight.grid.out, "x",
                  weight.grid.blocksPerRow, " ", std::string(nameOf(order)), ": ", mistake.name,
                  " was called ", std::string(nameOf(result.kind)), ": ", result.message);
    named += result.kind == mistake.kind;
    if (result.kind == DiagnosisKind::UNDETERMINED) CHECK(!result.message.empty());
  }
  return named;
}

}  // namespace

TEST_CASE("diagnosis: every encoding, mistake and grid gives the right kind or undetermined") {
  const BlockGrid grids[] = {{1, 1}, {1, 2},   {2, 1}, {2, 2},  {2, 3},  {3, 2},
                             {3, 3}, {4, 4},   {1, 8}, {8, 1},  {8, 8},  {7, 5},
                             {5, 7}, {11, 13}, {8, 3}, {16, 2}, {32, 1}, {64, 2}};
  int named = 0;
  for (const Encoding encoding : blockedEncodings()) {
    for (const BlockGrid grid : grids) {
      for (const BlockOrder order : kOrders)
        named += checkAll(mistakes::distinct(encoding, grid), order);
    }
  }
  MESSAGE("named ", named);
}

TEST_CASE("diagnosis: where both orders are the same bytes the verdict is the same under either") {
  for (const Encoding encoding : {Encoding::Q4_0, Encoding::Q8_0, Encoding::Q6_K}) {
    for (const BlockGrid grid : {BlockGrid{1, 1}, {1, 2}, {1, 12}, {2, 1}, {12, 1}}) {
      const Weight weight = mistakes::distinct(encoding, grid);
      for (const Mistake& mistake : mistakes::all()) {
        for (const BlockOrder order : kOrders) {
          const auto bytes = mistake.make(weight, order);
          if (bytes.empty()) continue;
          const Diagnosis one = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
          const Diagnosis other = diagnosed(bytes, weight, BlockOrder::INPUT_BLOCK_MAJOR);
          const bool same = one.kind == other.kind && one.candidates == other.candidates;
          CHECK_MESSAGE(same, std::string(nameOf(encoding)), " ", grid.out, "x", grid.blocksPerRow,
                        ": ", mistake.name, ": ", one.message, " | ", other.message);
        }
      }
    }
  }
}

TEST_CASE("diagnosis: constant content and equal rows never give a wrong kind") {
  for (const Encoding encoding : blockedEncodings()) {
    for (const BlockGrid grid : {BlockGrid{7, 5}, BlockGrid{4, 4}, BlockGrid{8, 1}}) {
      for (const BlockOrder order : kOrders) {
        checkAll(mistakes::constant(encoding, grid), order);
        checkAll(mistakes::equalRows(encoding, grid), order);
      }
    }
  }
}

TEST_CASE("diagnosis: references of few, repeated or monotonous blocks never give a wrong kind") {
  for (const Encoding encoding : blockedEncodings()) {
    for (const BlockGrid grid : {BlockGrid{5, 3}, BlockGrid{8, 2}, BlockGrid{1, 7}}) {
      for (const Weight& weight : mistakes::monotonous(encoding, grid)) {
        for (const BlockOrder order : kOrders) checkAll(weight, order);
      }
    }
  }
}

TEST_CASE("diagnosis: blocks that change places among equal scales have not left their scales") {
  for (const Encoding encoding : {Encoding::MXFP4, Encoding::Q4_0, Encoding::Q6_K}) {
    Weight weight = mistakes::distinct(encoding, {8, 5});
    for (const BlockField& field : anatomyOf(encoding)) {
      if (!isFloat(field.type)) continue;
      for (uint64_t at = field.offset; at < weight.bytes.size(); at += weight.blockBytes()) {
        // Every other block has the scale of the first.
        if (at / weight.blockBytes() % 2 == 0) {
          std::copy_n(weight.bytes.data() + field.offset, field.bytes(), weight.bytes.data() + at);
        }
      }
    }
    auto bytes = weight.bytes;
    const auto size = static_cast<std::ptrdiff_t>(weight.blockBytes());
    std::swap_ranges(bytes.begin() + 2 * size, bytes.begin() + 3 * size, bytes.begin() + 16 * size);
    const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
    CHECK_MESSAGE(result.kind == DiagnosisKind::UNDETERMINED, result.message);
    CHECK(
        result.message.find("38 blocks right, 2 of the reference in the wrong place, 0 nowhere") !=
        std::string::npos);
  }
}

TEST_CASE("diagnosis: a line that is right and bytes that are not are no stride") {
  // A byte lost between two lines, and the second line replaced: neither is padding for sure.
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {7, 2});
  const auto right = mistakes::inOrder(weight, BlockOrder::INPUT_BLOCK_MAJOR);
  const auto half = static_cast<std::ptrdiff_t>(right.size() / 2);
  auto lost = right;
  lost.erase(lost.begin() + half);
  auto longer = right;
  std::fill(longer.begin() + half, longer.end(), uint8_t{0x5A});
  longer.push_back(1);
  auto shorter = longer;
  shorter.resize(right.size() - 9);
  for (const auto& bytes : {lost, longer, shorter}) {
    const Diagnosis result = diagnosed(bytes, weight, BlockOrder::INPUT_BLOCK_MAJOR);
    const bool honest =
        result.kind == DiagnosisKind::UNDETERMINED || result.kind == DiagnosisKind::FOREIGN;
    CHECK_MESSAGE(honest, result.message);
  }
}

TEST_CASE("diagnosis: of a single block another scale is not known to be a factor") {
  const Weight weight = mistakes::distinct(Encoding::Q8_0, {1, 1});
  auto bytes = weight.bytes;
  bytes[0] ^= 0x15;
  const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
  CHECK(result.kind == DiagnosisKind::UNDETERMINED);
  CHECK(result.message.find("(1 block only)") != std::string::npos);
  // Of two blocks, where the factor that explains one says too little of the other.
  const Weight two = mistakes::distinct(Encoding::Q8_0, {2, 1});
  bytes = two.bytes;
  bytes[0] ^= 1;
  CHECK(diagnosed(bytes, two, BlockOrder::ROW_MAJOR).kind != DiagnosisKind::CONSTANT_OFFSET);
  bytes[34] ^= 1;
  CHECK(diagnosed(bytes, two, BlockOrder::ROW_MAJOR).kind != DiagnosisKind::CONSTANT_OFFSET);
}

TEST_CASE("diagnosis: what is there is truncated, not padded, where the second line has begun") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {4, 3});
  const std::vector<uint8_t> bytes(weight.bytes.begin(), weight.bytes.begin() + 72);
  CHECK(diagnosed(bytes, weight, BlockOrder::ROW_MAJOR).kind == DiagnosisKind::TRUNCATED);
  const Weight two = mistakes::distinct(Encoding::Q4_0, {2, 1});
  const std::vector<uint8_t> cut(two.bytes.begin(), two.bytes.end() - 1);
  CHECK(diagnosed(cut, two, BlockOrder::ROW_MAJOR).kind == DiagnosisKind::TRUNCATED);
}

TEST_CASE("diagnosis: one wrong byte where the content comes round again is no move of all") {
  for (const uint64_t period : {5u, 7u}) {
    Weight weight = mistakes::distinct(Encoding::Q4_0, {8, 8});
    for (std::size_t i = 0; i < weight.bytes.size(); ++i) {
      weight.bytes[i] = static_cast<uint8_t>(10 + 37 * (i % period));
    }
    for (std::size_t at = 0; at < weight.bytes.size(); at += 13) {
      auto bytes = weight.bytes;
      bytes[at] ^= 1;
      const Diagnosis result = mistakes::diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
      const bool right =
          result.kind == DiagnosisKind::FOREIGN || result.kind == DiagnosisKind::UNDETERMINED;
      CHECK_MESSAGE(right, period, " at ", at, ": ", result.message);
    }
  }
}

TEST_CASE("diagnosis: of a few bytes it is not known where they stand") {
  for (const Encoding encoding : {Encoding::Q4_0, Encoding::Q4_K, Encoding::MXFP4}) {
    const Weight weight = mistakes::distinct(encoding, {4, 3});
    for (std::size_t size = 1; size < 4; ++size) {
      for (std::size_t at = 1; at + size <= weight.bytes.size(); at += 5) {
        const auto from = weight.bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const std::vector<uint8_t> bytes(from, from + static_cast<std::ptrdiff_t>(size));
        const Diagnosis result = mistakes::diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
        const bool right =
            result.kind == DiagnosisKind::TRUNCATED || result.kind == DiagnosisKind::UNDETERMINED;
        CHECK_MESSAGE(right, size, " at ", at, ": ", result.message);
      }
    }
  }
}

TEST_CASE("diagnosis: padding that holds the reference's own blocks is no padding") {
  // Rows 0 2 1 3 and then the end cut off: row 1 stands where a stride of two rows would put it.
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {8, 5});
  const auto permuted = made("rows interleaved within heads of 4", weight, BlockOrder::ROW_MAJOR);
  const auto bytes =
      made("the second half cut", {Encoding::Q4_0, weight.grid, permuted}, BlockOrder::ROW_MAJOR);
  const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
  CHECK(result.kind == DiagnosisKind::UNDETERMINED);
  CHECK(result.message.find("others of the reference") != std::string::npos);
}

TEST_CASE("diagnosis: one head of all rows, interleaved, is no stride of two rows") {
  // Rows 0 4 1 5 2 6 3 7: every other row is where a stride would put it, and the ones between
  // would have to be padding.
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {8, 5});
  const std::size_t line = 5 * weight.blockBytes();
  std::vector<uint8_t> bytes;
  for (const std::size_t row : {0, 4, 1, 5, 2, 6, 3, 7}) {
    const auto from = weight.bytes.begin() + static_cast<std::ptrdiff_t>(row * line);
    bytes.insert(bytes.end(), from, from + static_cast<std::ptrdiff_t>(line));
  }
  const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
  CHECK(result.kind == DiagnosisKind::ROW_PERMUTATION);
  CHECK(result.explained == 40);
}

TEST_CASE("diagnosis: scales rounded in another way are not off by a constant") {
  const Weight weight = mistakes::distinct(Encoding::Q8_0, {8, 5});
  auto bytes = weight.bytes;
  for (std::size_t at = 0, i = 0; at < bytes.size(); at += 34, ++i) {
    bytes[at] = static_cast<uint8_t>(bytes[at] ^ (i % 3 != 0));
  }
  CHECK(diagnosed(bytes, weight, BlockOrder::ROW_MAJOR).kind != DiagnosisKind::CONSTANT_OFFSET);
}

TEST_CASE("diagnosis: on a grid that hides nothing every mistake is named, for every encoding") {
  for (const Encoding encoding : blockedEncodings()) {
    for (const BlockGrid grid : {BlockGrid{8, 5}, BlockGrid{16, 3}, BlockGrid{512, 3}}) {
      if (grid.out == 512 && specOf(encoding).elements < 256) continue;
      const Weight weight = mistakes::distinct(encoding, grid);
      for (const Mistake& mistake : mistakes::all()) {
        const auto bytes = mistake.make(weight, BlockOrder::INPUT_BLOCK_MAJOR);
        if (bytes.empty() || bytes == mistakes::inOrder(weight, BlockOrder::INPUT_BLOCK_MAJOR))
          continue;
        const Diagnosis result = diagnosed(bytes, weight, BlockOrder::INPUT_BLOCK_MAJOR);
        CHECK_MESSAGE(result.kind == mistake.kind, std::string(nameOf(encoding)), " ", grid.out,
                      "x", grid.blocksPerRow, ": ", mistake.name, ": ", result.message);
        CHECK(!result.fix.empty());
        CHECK(!result.picture.empty());
      }
    }
  }
}

TEST_CASE(
    "diagnosis: the fixtures name an order, a label and a second relayout, for every encoding") {
  for (const Encoding encoding : blockedEncodings()) {
    const Weight placement{encoding, fixtures::kPlacementGrid, *fixtures::canonical(encoding)};
    const Weight content{encoding, fixtures::kDecodableGrid, fixtures::decodable(encoding)->bytes};
    for (const Weight& weight : {placement, content}) {
      const auto kindOf = [&](const char* mistake) {
        const auto bytes = made(mistake, weight, BlockOrder::INPUT_BLOCK_MAJOR);
        return diagnose(bytes, encoding, {BlockOrder::INPUT_BLOCK_MAJOR, weight.grid})->kind;
      };
      CHECK(kindOf("the other order") == DiagnosisKind::OTHER_ORDER);
      CHECK(kindOf("prepacked twice") == DiagnosisKind::PREPACKED_TWICE);
      CHECK(kindOf("label swapped in blocks") == DiagnosisKind::SWAPPED_LABEL);
      for (const BlockOrder order : kOrders) checkAll(weight, order);
    }
  }
}

TEST_CASE(
    "diagnosis: a square grid, one block per row and constant content say why they cannot tell") {
  const auto reason = [](const Weight& weight, const char* mistake) {
    const Diagnosis result = diagnosed(made(mistake, weight, BlockOrder::INPUT_BLOCK_MAJOR), weight,
                                       BlockOrder::INPUT_BLOCK_MAJOR);
    return std::pair(result.kind, result.message);
  };
  const auto square = reason(mistakes::distinct(Encoding::Q4_0, {3, 3}), "the other order");
  CHECK(square.first == DiagnosisKind::UNDETERMINED);
  CHECK(square.second.find("square grid of 3 x 3") != std::string::npos);
  const auto narrow =
      reason(mistakes::distinct(Encoding::Q4_0, {64, 1}), "label swapped in values");
  CHECK(narrow.first == DiagnosisKind::UNDETERMINED);
  CHECK(narrow.second.find("one block per row") != std::string::npos);
  const auto agreeing = reason(mistakes::distinct(Encoding::Q4_0, {5, 1}), "the other order");
  CHECK(agreeing.first == DiagnosisKind::AGREES);
  CHECK(agreeing.second.find("proves nothing about the order (one block per row") !=
        std::string::npos);
  const Weight same = mistakes::constant(Encoding::Q4_0, {5, 3});
  const auto agreed = diagnosed(same.bytes, same, BlockOrder::INPUT_BLOCK_MAJOR);
  CHECK(agreed.kind == DiagnosisKind::AGREES);
  CHECK(agreed.message.find("proves nothing about the order (constant content") !=
        std::string::npos);
}

TEST_CASE(
    "diagnosis: a mistake with a few damaged blocks is still named, with the damage counted") {
  const Weight weight = mistakes::distinct(Encoding::Q4_K, {11, 13});
  auto bytes = weight.bytes;
  bytes[5 * 144 + 7] ^= 1;
  bytes[90 * 144] ^= 1;
  const Diagnosis result = diagnosed(bytes, weight, BlockOrder::INPUT_BLOCK_MAJOR);
  CHECK(result.kind == DiagnosisKind::OTHER_ORDER);
  CHECK(result.explained == 141);
  CHECK(result.total == 143);
  CHECK(result.message.find("2 hold something else") != std::string::npos);
}

TEST_CASE("diagnosis: the other order and a missing end are both said") {
  const Weight weight = mistakes::distinct(Encoding::Q8_0, {7, 5});
  const std::vector<uint8_t> bytes(weight.bytes.begin(), weight.bytes.end() - 50);
  const Diagnosis result = diagnosed(bytes, weight, BlockOrder::INPUT_BLOCK_MAJOR);
  CHECK(result.kind == DiagnosisKind::OTHER_ORDER);
  CHECK(result.message.find("the bytes end 50 early") != std::string::npos);
  CHECK(
      result.fix.starts_with("download or write the last 50 bytes first, then pw.toKernelOrder("));
}

TEST_CASE("diagnosis: sentence, fix and picture of the commonest mistake") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {5, 3});
  const Diagnosis result = diagnosed(weight.bytes, weight, BlockOrder::INPUT_BLOCK_MAJOR);
  CHECK(result.message ==
        "Q4_0, 5 x 3 blocks, INPUT_BLOCK_MAJOR expected: the content is right, in the other of the "
        "two orders "
        "(the bytes are ROW_MAJOR). Explains 15 of 15 blocks");
  CHECK(result.fix ==
        "pw.toKernelOrder(pw.pack(bytes, { encoding: 'Q4_0', out: 5, inputDim: 96, order: "
        "'ROW_MAJOR' }))");
  CHECK(result.picture ==
        "belongs             stands there\n"
        "(0,0) (0,1) (0,2)   (0,0) (1,2) (3,1)\n"
        "(1,0) (1,1) (1,2)   (0,1) (2,0) (3,2)\n"
        "(2,0) (2,1) (2,2)   (0,2) (2,1) (4,0)\n"
        "(3,0) (3,1) (3,2)   (1,0) (2,2) (4,1)\n"
        "(1 more row)\n");
}

TEST_CASE(
    "diagnosis: the picture shows the first wrong block, wherever it is, and says its signs") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {30, 12});
  auto bytes = weight.bytes;
  bytes[(20 * 12 + 7) * 18 + 5] ^= 1;
  std::copy_n(weight.block(3, 2), 18, bytes.begin() + (21 * 12 + 9) * 18);
  CHECK(diagnosed(bytes, weight, BlockOrder::ROW_MAJOR).picture ==
        "belongs                                 stands there\n"
        "(20 rows before)\n"
        ".. (20,7)  (20,8)  (20,9)  (20,10) ..   ..    ?    (20,8)  (20,9)  (20,10) ..\n"
        ".. (21,7)  (21,8)  (21,9)  (21,10) ..   .. (21,7)  (21,8)   (3,2)  (21,10) ..\n"
        ".. (22,7)  (22,8)  (22,9)  (22,10) ..   .. (22,7)  (22,8)  (22,9)  (22,10) ..\n"
        ".. (23,7)  (23,8)  (23,9)  (23,10) ..   .. (23,7)  (23,8)  (23,9)  (23,10) ..\n"
        "(6 more rows)\n"
        "? no block of the reference\n");
  for (const BlockOrder order : kOrders) {
    for (const uint64_t flat :
         {uint64_t{0}, uint64_t{1}, uint64_t{100}, uint64_t{333}, uint64_t{359}}) {
      auto damaged = inOrder(weight, order);
      damaged[flat * 18 + 3] ^= 1;
      const std::string picture = diagnosed(damaged, weight, order).picture;
      CHECK_MESSAGE(picture.find(" ?") != std::string::npos, picture);
      damaged.resize(flat * 18);
      const std::string cut = diagnosed(damaged, weight, order).picture;
      CHECK_MESSAGE(cut.ends_with("- nothing: the bytes have ended\n"), cut);
    }
  }
}

TEST_CASE("diagnosis: no bytes, an empty grid, a wrong reference") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {5, 3});
  CHECK(diagnosed({}, weight, BlockOrder::ROW_MAJOR).kind == DiagnosisKind::TRUNCATED);
  const Weight empty{Encoding::Q4_0, {0, 3}, {}};
  CHECK(diagnosed({}, empty, BlockOrder::ROW_MAJOR).kind == DiagnosisKind::AGREES);
  CHECK(diagnosed({1}, empty, BlockOrder::ROW_MAJOR).kind == DiagnosisKind::UNDETERMINED);
  CHECK(diagnose({}, Encoding::Q4_0, {BlockOrder::ROW_MAJOR, BlockGrid{2, 2}}).error().code ==
        ErrorCode::INVALID_ARGUMENT);
}
