// diagnose where a mistake leaves places open: what stands there must not be the reference's.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "support/mistakes.h"
#include "support/value_mistakes.h"
#include "weights/fixtures.h"

using namespace packed;
using mistakes::blockedEncodings;
using mistakes::diagnosed;
using mistakes::inOrder;
using mistakes::kOrders;
using mistakes::Weight;

namespace {

using Buffer = std::vector<uint8_t>;
using Kind = DiagnosisKind;

Weight placementFixture(Encoding encoding) {
  return {encoding, {4, 3}, *fixtures::canonical(encoding)};
}

// Lines of `bytes` in another sequence.
Buffer rearranged(const Buffer& bytes, const std::vector<std::size_t>& lines) {
  const std::size_t length = bytes.size() / lines.size();
  Buffer result;
  for (const std::size_t line : lines) {
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(line * length);
    result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(length));
  }
  return result;
}

Buffer noise(std::size_t size) {
  Buffer bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * i * 31 + i * 7 + 13);
  return bytes;
}

bool leavesOpen(const Diagnosis& result) {
  return result.message.find("; of the other ") != std::string::npos;
}

}  // namespace

TEST_CASE("diagnosis: lines of the placement fixture in any other sequence are no padding") {
  for (const Encoding encoding : blockedEncodings()) {
    const Weight weight = placementFixture(encoding);
    for (const BlockOrder order : kOrders) {
      const Buffer right = inOrder(weight, order);
      std::vector<std::size_t> lines = {0, 1, 2};
      if (order == BlockOrder::ROW_MAJOR) lines.push_back(3);
      while (std::next_permutation(lines.begin(), lines.end())) {
        Buffer bytes = rearranged(right, lines);
        for (const bool damaged : {false, true}) {
          if (damaged) bytes.pop_back();
          const Diagnosis result = diagnosed(bytes, weight, order);
          CHECK_MESSAGE((result.kind == Kind::ROW_PERMUTATION || result.kind == Kind::SHIFTED ||
                         result.kind == Kind::UNDETERMINED),
                        result.message);
          CHECK_MESSAGE(!leavesOpen(result), result.message);
        }
      }
    }
  }
}

TEST_CASE("diagnosis: the placement fixture with a wrong label behind a header is not foreign") {
  std::size_t turnedOnes = 0;
  for (const Encoding encoding : blockedEncodings()) {
    const Weight weight = placementFixture(encoding);
    for (const mistakes::Mistake& mistake : mistakes::all()) {
      if (mistake.kind != Kind::SWAPPED_LABEL) continue;
      Buffer bytes = noise(56);
      const Buffer turned = mistake.make(weight, BlockOrder::INPUT_BLOCK_MAJOR);
      if (turned.empty()) continue;
      ++turnedOnes;
      bytes.insert(bytes.end(), turned.begin(), turned.end());
      bytes.resize(weight.bytes.size());
      const Diagnosis result = diagnosed(bytes, weight, BlockOrder::INPUT_BLOCK_MAJOR);
      CHECK_MESSAGE(result.kind != Kind::FOREIGN, result.message);
    }
  }
  CHECK(turnedOnes == blockedEncodings().size());
}

TEST_CASE("diagnosis of values: rows woven together are no padding, whatever is damaged besides") {
  for (const Encoding encoding : {Encoding::F32, Encoding::F16, Encoding::F64, Encoding::I32}) {
    const Weight weight = mistakes::values(encoding, 8, 16);
    const Buffer woven = rearranged(weight.bytes, {0, 4, 1, 5, 2, 6, 3, 7});
    for (std::size_t at = 0; at < woven.size(); at += 5) {
      Buffer bytes = woven;
      bytes[at] ^= 1;
      const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
      CHECK_MESSAGE(result.kind != Kind::PADDED_STRIDE, result.message);
    }
    Buffer cut = woven;
    cut.resize(cut.size() - weight.blockBytes());
    CHECK(diagnosed(cut, weight, BlockOrder::ROW_MAJOR).kind != Kind::PADDED_STRIDE);
  }
}

TEST_CASE("diagnosis of values: what has come round is not missing, whatever is damaged besides") {
  const Weight weight = mistakes::values(Encoding::F32, 32, 24);
  Buffer rotated = weight.bytes;
  std::rotate(rotated.begin(), rotated.begin() + 8 * 96, rotated.end());
  for (std::size_t at = 0; at < rotated.size(); at += 61) {
    Buffer bytes = rotated;
    bytes[at] ^= 1;
    const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
    REQUIRE_MESSAGE(result.kind == Kind::SHIFTED, result.message);
    CHECK_MESSAGE(result.variant == "rotated by 8 rows", result.message);
    CHECK(result.explained == 767);
  }
}

TEST_CASE("diagnosis: a download that was begun anew is not said to have lost what is there") {
  const Weight weight = mistakes::distinct(Encoding::Q8_0, {16, 16});
  const Buffer& whole = weight.bytes;
  for (const std::ptrdiff_t begun : {1203, 2001, 4352}) {
    const Buffer first(whole.begin(), whole.begin() + begun);
    Buffer bytes = first;
    bytes.insert(bytes.end(), whole.begin(), whole.end());
    const Diagnosis skip = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
    REQUIRE_MESSAGE(skip.kind == Kind::SHIFTED, skip.message);
    CHECK(skip.fix.find("bytes.subarray(" + std::to_string(begun) + ")") != std::string::npos);
    bytes.resize(whole.size());
    CHECK(diagnosed(bytes, weight, BlockOrder::ROW_MAJOR).kind == Kind::UNDETERMINED);
    bytes = first;
    bytes.insert(bytes.end(), first.begin(), first.end());
    CHECK(diagnosed(bytes, weight, BlockOrder::ROW_MAJOR).kind == Kind::UNDETERMINED);
  }
}

TEST_CASE("diagnosis: half of two blocks, or of a few bytes, says nothing of the other half") {
  for (const Encoding encoding : blockedEncodings()) {
    const Weight weight = mistakes::distinct(encoding, {1, 2});
    const auto size = static_cast<std::ptrdiff_t>(weight.blockBytes());
    Buffer bytes = noise(static_cast<std::size_t>(size));
    bytes.insert(bytes.end(), weight.bytes.begin(), weight.bytes.begin() + size);
    CHECK(diagnosed(bytes, weight, BlockOrder::ROW_MAJOR).kind == Kind::UNDETERMINED);
  }
  const Weight few = mistakes::values(Encoding::I16, 2, 2);
  Buffer bytes = rearranged(few.bytes, {1, 0});
  bytes.pop_back();
  CHECK(diagnosed(bytes, few, BlockOrder::ROW_MAJOR).kind == Kind::UNDETERMINED);
}

TEST_CASE("diagnosis: a shift of what begins with repetitions is the shift that was made") {
  for (const Encoding encoding : blockedEncodings()) {
    Weight weight = mistakes::distinct(encoding, {16, 4});
    const std::size_t block = weight.blockBytes();
    std::fill_n(weight.bytes.begin(), 3 * 4 * block, uint8_t{0});
    Buffer bytes = weight.bytes;
    std::rotate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(4 * block), bytes.end());
    const Diagnosis rotated = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
    CHECK_MESSAGE(rotated.variant == "rotated by 1 row", rotated.message);
    bytes = weight.bytes;
    const Buffer more = noise(5 * block);
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(5 * block));
    bytes.insert(bytes.end(), more.begin(), more.end());
    const Diagnosis early = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
    CHECK_MESSAGE(early.variant == "5 blocks of the start missing", early.message);
  }
  Weight values = mistakes::values(Encoding::I64, 12, 40);
  std::fill_n(values.bytes.begin(), 100 * 8, uint8_t{0});
  Buffer bytes = values.bytes;
  bytes.erase(bytes.begin(), bytes.begin() + 56);
  const Buffer more = noise(56);
  bytes.insert(bytes.end(), more.begin(), more.end());
  const Diagnosis result = diagnosed(bytes, values, BlockOrder::ROW_MAJOR);
  CHECK_MESSAGE(result.variant == "7 values of the start missing", result.message);
}

TEST_CASE("diagnosis: bytes that slipped in between two lines are no stride of lines") {
  const Weight weight = mistakes::distinct(Encoding::Q4_1, {32, 2});
  const Buffer right = inOrder(weight, BlockOrder::INPUT_BLOCK_MAJOR);
  const Buffer more = noise(37);
  for (const std::ptrdiff_t at : {600, 620, 639}) {
    Buffer bytes = right;
    bytes.insert(bytes.begin() + at, more.begin(), more.end());
    const Diagnosis result = diagnosed(bytes, weight, BlockOrder::INPUT_BLOCK_MAJOR);
    CHECK_MESSAGE(result.kind != Kind::PADDED_STRIDE, result.message);
  }
}

TEST_CASE(
    "diagnosis of values: rows padded alike are seen where their beginnings are all the same") {
  for (const Encoding encoding : {Encoding::BF16, Encoding::F32, Encoding::I8}) {
    Weight weight = mistakes::values(encoding, 12, 100);
    const std::size_t row = weight.bytes.size() / 12;
    for (std::size_t o = 0; o < 12; ++o) {
      std::fill_n(weight.bytes.begin() + static_cast<std::ptrdiff_t>(o * row), row / 2, uint8_t{0});
    }
    Buffer bytes;
    for (std::size_t o = 0; o < 12; ++o) {
      const auto from = weight.bytes.begin() + static_cast<std::ptrdiff_t>(o * row);
      bytes.insert(bytes.end(), from, from + static_cast<std::ptrdiff_t>(row));
      bytes.insert(bytes.end(), 24, uint8_t{0});
    }
    const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
    CHECK_MESSAGE(result.kind == Kind::PADDED_STRIDE, result.message);
  }
}

TEST_CASE(
    "diagnosis: of a weight that is mostly right its writer is to be looked at, not which weight "
    "it is") {
  for (const Encoding encoding : {Encoding::Q4_0, Encoding::Q6_K}) {
    const Weight weight = mistakes::distinct(encoding, {8, 3});
    const std::size_t size = weight.bytes.size() / 24;
    for (const std::size_t damaged : {1, 5, 11, 13, 20}) {
      auto bytes = weight.bytes;
      for (std::size_t i = 0; i < damaged * size; ++i) bytes[i] = static_cast<uint8_t>(i * 37 + 11);
      const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
      REQUIRE(result.kind == DiagnosisKind::FOREIGN);
      const bool mostlyRight = result.fix.find("most of it is right") != std::string::npos;
      CHECK_MESSAGE(mostlyRight == (damaged < 12), damaged, ": ", result.fix);
      const bool another = result.fix.find("the same tensor") != std::string::npos;
      CHECK(another == (damaged > 12));
    }
    // Of more bytes than the weight has, none right.
    std::vector<uint8_t> longer(3 * weight.bytes.size());
    for (std::size_t i = 0; i < longer.size(); ++i)
      longer[i] = static_cast<uint8_t>(i * i * 37 + i / 251 + 11);
    const Diagnosis result = diagnosed(longer, weight, BlockOrder::ROW_MAJOR);
    CHECK_MESSAGE(result.fix.find("most of it is right") == std::string::npos, result.message);
  }
}
