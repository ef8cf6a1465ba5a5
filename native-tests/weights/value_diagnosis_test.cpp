// diagnose and disagreement of PLAIN encodings: values, not blocks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/value_mistakes.h"
#include "weights/disagreement.h"

using namespace packed;
using mistakes::Weight;

namespace {

std::vector<Encoding> plainEncodings() {
  std::vector<Encoding> encodings;
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked()) encodings.push_back(spec.encoding);
  }
  return encodings;
}

Diagnosis diagnosed(const std::vector<uint8_t>& bytes, const Weight& weight) {
  return *diagnose(
      bytes, weight.encoding,
      {BlockOrder::ROW_MAJOR, weight.grid, Bytes(weight.bytes), BlockOrder::ROW_MAJOR});
}

// Every mistake: the right kind, UNDETERMINED, or no mistake because the bytes are the right ones.
int checkAll(const Weight& weight, bool mustName = false) {
  int named = 0;
  for (const auto& mistake : mistakes::ofValues()) {
    const auto bytes = mistake.make(weight);
    if (bytes.empty()) continue;
    const Diagnosis result = diagnosed(bytes, weight);
    const bool right = bytes == weight.bytes
                           ? result.kind == DiagnosisKind::AGREES
                           : result.kind == mistake.kind ||
                                 (!mustName && result.kind == DiagnosisKind::UNDETERMINED);
    CHECK_MESSAGE(right, std::string(nameOf(weight.encoding)), " ", weight.grid.out, "x",
                  weight.grid.blocksPerRow, ": ", mistake.name, " was called ",
                  std::string(nameOf(result.kind)), ": ", result.message);
    if (result.kind != DiagnosisKind::AGREES) CHECK(!result.picture.empty());
    named += result.kind == mistake.kind;
  }
  return named;
}

std::vector<uint8_t> floats(std::initializer_list<float> values) {
  std::vector<uint8_t> bytes(values.size() * 4);
  std::size_t at = 0;
  for (const float value : values) storeLE<float>(bytes.data() + 4 * at++, value);
  return bytes;
}

TEST_CASE("diagnosis of values: a NaN is the same NaN, and -0 is not 0") {
  Weight weight = mistakes::values(Encoding::F32, 7, 149);
  storeLE<uint32_t>(weight.bytes.data() + 40, 0x7fc00123);
  storeLE<float>(weight.bytes.data() + 80, 0.0f);
  auto bytes = weight.bytes;
  storeLE<float>(bytes.data() + 80, -0.0f);
  const Diagnosis result = diagnosed(bytes, weight);
  CAPTURE(result.message);
  CHECK(result.message.find("1 of 1043 values differ") != std::string::npos);
}

// A reference of numbers that f32 cannot tell from their neighbours.
template <class Stored>
Weight fineNumbers(Encoding encoding, Stored first) {
  Weight weight{encoding, {7, 149}, std::vector<uint8_t>(7 * 149 * sizeof(Stored))};
  for (std::size_t i = 0; i < 7 * 149; ++i) {
    const auto value = static_cast<Stored>(first + static_cast<Stored>(i * i * 128));
    storeLE<Stored>(weight.bytes.data() + i * sizeof(Stored), value);
  }
  return weight;
}

template <class Stored>
void checkNeighbours(Encoding encoding, Stored first) {
  const Weight weight = fineNumbers(encoding, first);
  auto bytes = weight.bytes;
  for (const std::size_t i : {0u, 5u, 500u, 1042u}) {
    uint8_t* at = bytes.data() + i * sizeof(Stored);
    storeLE<Stored>(at, loadLE<Stored>(at) + 1);
    REQUIRE(static_cast<float>(loadLE<Stored>(at)) ==
            static_cast<float>(loadLE<Stored>(weight.bytes.data() + i * sizeof(Stored))));
  }
  const Diagnosis result = diagnosed(bytes, weight);
  CAPTURE(result.message);
  CHECK(result.kind == DiagnosisKind::UNDETERMINED);
  CHECK(result.message.find("4 of 1043 values differ, by up to 1 (") != std::string::npos);
  const auto wrong = **disagreement(
      bytes, encoding,
      {BlockOrder::ROW_MAJOR, weight.grid, Bytes(weight.bytes), BlockOrder::ROW_MAJOR});
  CHECK(wrong.misplaced == 4);
}

}  // namespace

TEST_CASE("diagnosis of values: numbers that differ by less than an f32 tells are counted") {
  checkNeighbours<double>(Encoding::F64, 0x1p40);
  checkNeighbours<int64_t>(Encoding::I64, int64_t{1} << 60);
  checkNeighbours<int64_t>(Encoding::I64, -(int64_t{1} << 60));
  checkNeighbours<int32_t>(Encoding::I32, 1 << 30);
}

TEST_CASE("diagnosis of values: the distance of integers is exact, however far apart") {
  Weight weight = fineNumbers<int64_t>(Encoding::I64, 1);
  auto bytes = weight.bytes;
  storeLE<int64_t>(weight.bytes.data() + 80, INT64_MIN);
  storeLE<int64_t>(bytes.data() + 80, INT64_MAX);
  const Diagnosis result = diagnosed(bytes, weight);
  CAPTURE(result.message);
  CHECK(result.message.find(joined("1 of 1043 values differ, by up to ", 0x1p64)) !=
        std::string::npos);
}

TEST_CASE("diagnosis of values: every plain encoding, mistake and shape: right or undetermined") {
  const BlockGrid shapes[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2},  {1, 9},  {9, 1},  {3, 3},
                              {4, 4}, {5, 7}, {7, 5}, {12, 8}, {6, 64}, {64, 6}, {11, 13}};
  int named = 0;
  for (const Encoding encoding : plainEncodings()) {
    for (const BlockGrid shape : shapes) {
      named += checkAll(mistakes::values(encoding, shape.out, shape.blocksPerRow));
    }
  }
  MESSAGE("named ", named);
}

TEST_CASE("diagnosis of values: with values enough every mistake is named") {
  for (const Encoding encoding : plainEncodings()) {
    if (encoding == Encoding::I8) continue;
    checkAll(mistakes::values(encoding, 18, 35), true);
  }
}

TEST_CASE(
    "diagnosis of values: a big weight, whose values are looked at by runs, is no different") {
  for (const Encoding encoding : {Encoding::F32, Encoding::BF16}) {
    for (const BlockGrid shape : {BlockGrid{384, 256}, BlockGrid{402, 331}, BlockGrid{6, 65536}}) {
      checkAll(mistakes::values(encoding, shape.out, shape.blocksPerRow), true);
    }
  }
}

TEST_CASE("diagnosis of values: runs that are of several rows, or begin within one, hide nothing") {
  for (const Encoding encoding : {Encoding::F32, Encoding::BF16, Encoding::F64}) {
    for (const BlockGrid shape :
         {BlockGrid{254, 263}, BlockGrid{6, 11003}, BlockGrid{22006, 3}, BlockGrid{32782, 2}}) {
      checkAll(mistakes::values(encoding, shape.out, shape.blocksPerRow), true);
    }
    for (const BlockGrid shape : {BlockGrid{1, 65539}, BlockGrid{65539, 1}, BlockGrid{257, 257}}) {
      checkAll(mistakes::values(encoding, shape.out, shape.blocksPerRow));
    }
  }
}

TEST_CASE("diagnosis of values: rows in any sequence are found, and which stand first") {
  for (const BlockGrid shape : {BlockGrid{5, 9}, BlockGrid{401, 331}, BlockGrid{70001, 1},
                                BlockGrid{70001, 2}, BlockGrid{3, 30011}}) {
    const Weight weight = mistakes::values(Encoding::F32, shape.out, shape.blocksPerRow);
    const uint64_t row = shape.blocksPerRow * 4;
    auto bytes = weight.bytes;
    for (uint64_t o = 0; o < shape.out; ++o) {
      std::copy_n(weight.bytes.data() + o * 2 % shape.out * row, row, bytes.data() + o * row);
    }
    const Diagnosis result = diagnosed(bytes, weight);
    CAPTURE(result.message);
    CHECK(result.kind == DiagnosisKind::ROW_PERMUTATION);
    CHECK(result.explained == result.total);
    const std::string found = shape.out == 3   ? "rows found: 0 2 1"
                              : shape.out == 5 ? "rows found: 0 2 4 1 3"
                                               : "rows found: 0 2 4 6 8 10 12 14 ..";
    // Of so many rows none is held against another, and it says so.
    const bool many = shape.out > 1 << 16;
    CHECK(result.variant ==
          found + (many ? "; that all are the same is said by their hashes" : ""));
  }
}

TEST_CASE(
    "diagnosis of values: distances are counted in values, however many are looked at at once") {
  const Weight weight = mistakes::values(Encoding::F32, 384, 256);
  auto late = weight.bytes;
  std::rotate(late.begin(), late.end() - 256, late.end());
  CHECK(diagnosed(late, weight).variant == "rotated by 64 values");
  std::vector<uint8_t> padded;
  for (std::size_t at = 0; at < weight.bytes.size(); at += 1024) {
    padded.insert(padded.end(), weight.bytes.begin() + static_cast<std::ptrdiff_t>(at),
                  weight.bytes.begin() + static_cast<std::ptrdiff_t>(at + 1024));
    padded.insert(padded.end(), 256, 0);
  }
  CHECK(diagnosed(padded, weight).variant == "stride 320 values in the bytes, 256 values expected");
}

TEST_CASE("diagnosis of values: what is wrong in a few places only is no mistake of all") {
  // Nearly all zeros: every mistake explains nearly every value.
  Weight weight = mistakes::values(Encoding::F32, 512, 515);
  for (std::size_t at = 0; at < weight.bytes.size(); ++at) {
    if (at / 4 % 20011 != 77) weight.bytes[at] = 0;
  }
  const int named = checkAll(weight);
  CHECK(named > 8);
}

TEST_CASE("diagnosis of values: memory full of one byte is no constant term") {
  for (const Encoding encoding : {Encoding::F32, Encoding::F16, Encoding::BF16, Encoding::F64}) {
    const Weight weight = mistakes::values(encoding, 24, 40);
    for (int byte = 1; byte < 256; byte += 6) {
      const std::vector<uint8_t> filled(weight.bytes.size(), static_cast<uint8_t>(byte));
      const Diagnosis result = diagnosed(filled, weight);
      CHECK_MESSAGE(result.kind == DiagnosisKind::FOREIGN, byte, ": ", result.message);
    }
  }
}

TEST_CASE("diagnosis of values: padding longer than what it pads is not all there is") {
  Weight weight = mistakes::values(Encoding::F16, 38, 1);
  for (uint64_t i = 0; i < weight.bytes.size(); ++i) {
    weight.bytes[i] = static_cast<uint8_t>(i * 53 + i / 4 * 11);
  }
  std::vector<uint8_t> bytes(weight.bytes.size());
  for (uint64_t o = 0; 3 * o < 38; ++o) {
    std::copy_n(weight.block(o, 0), 2, bytes.begin() + static_cast<std::ptrdiff_t>(6 * o));
  }
  const Diagnosis result = diagnosed(bytes, weight);
  CHECK_MESSAGE(result.kind == DiagnosisKind::UNDETERMINED, result.message);
  CHECK(result.candidates == std::vector{DiagnosisKind::PADDED_STRIDE});
  CHECK(result.message.find("padded-stride explains 13 values") != std::string::npos);
}

TEST_CASE("diagnosis of values: one value that differs is no constant, however little it does") {
  for (const float small : {0.0f, 1e-6f, 1e-3f}) {
    Weight weight = mistakes::values(Encoding::F32, 64, 64);
    for (uint64_t i = 0; i < 4096; ++i) {
      storeLE<float>(weight.bytes.data() + 4 * i, 0.02f + static_cast<float>(i % 997) * 1e-4f);
    }
    storeLE<float>(weight.bytes.data() + 20, small);
    for (std::size_t bit = 0; bit < 32; ++bit) {
      auto bytes = weight.bytes;
      bytes[20 + bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      const Diagnosis result = diagnosed(bytes, weight);
      const bool right =
          result.kind == DiagnosisKind::FOREIGN || result.kind == DiagnosisKind::UNDETERMINED;
      CHECK_MESSAGE(right, small, " bit ", bit, ": ", result.message);
    }
  }
}

TEST_CASE("diagnosis of values: constant, zero, few and repeated values never give a wrong kind") {
  for (const Encoding encoding : plainEncodings()) {
    for (const BlockGrid shape : {BlockGrid{5, 7}, BlockGrid{4, 4}, BlockGrid{1, 12}}) {
      for (const int different : {1, 2, 3}) {
        Weight weight = mistakes::values(encoding, shape.out, shape.blocksPerRow);
        const uint64_t size = weight.blockBytes();
        for (uint64_t at = 0; at < weight.bytes.size(); at += size) {
          const uint64_t from = at / size * 7 / 3 % static_cast<uint64_t>(different) * size;
          std::copy_n(weight.bytes.begin() + static_cast<std::ptrdiff_t>(from), size,
                      weight.bytes.begin() + static_cast<std::ptrdiff_t>(at));
        }
        checkAll(weight);
        Weight zeros = weight;
        std::fill(zeros.bytes.begin(), zeros.bytes.end(), uint8_t{0});
        checkAll(zeros);
      }
    }
  }
}

TEST_CASE("report llama.cpp #22565: norm weights v and v + 1 differ by a constant 1.0") {
  const auto v = floats({0.02f, -0.125f, 0.7f, 0.31f, -0.4f, 0.05f});
  const auto one = floats({1.02f, 0.875f, 1.7f, 1.31f, 0.6f, 1.05f});
  const Diagnosis result = diagnosed(one, {Encoding::F32, {1, 6}, v});
  CHECK(result.kind == DiagnosisKind::CONSTANT_OFFSET);
  CHECK(result.variant == "differs by a constant 1.0");
  CHECK(result.explained == 6);
  CHECK(result.total == 6);
  CHECK(result.fix.find("apply it once") != std::string::npos);
}

TEST_CASE("report llama.cpp #22611: rows half-split against interleaved are a row permutation") {
  for (const Encoding encoding : {Encoding::F32, Encoding::F16, Encoding::BF16}) {
    const Weight weight = mistakes::values(encoding, 8, 6);
    for (const auto& mistake : mistakes::ofValues()) {
      if (mistake.name != "rows half-split") continue;
      const Diagnosis result = diagnosed(mistake.make(weight), weight);
      CHECK(result.kind == DiagnosisKind::ROW_PERMUTATION);
      CHECK(result.variant == "half-split where interleaved is expected, heads of 8 rows");
    }
  }
  // The bias that belongs to the rows goes with them.
  const auto bias = floats({1, 2, 3, 4, 5, 6, 7, 8});
  const auto split = floats({1, 3, 5, 7, 2, 4, 6, 8});
  CHECK(diagnosed(split, {Encoding::F32, {1, 8}, bias}).kind == DiagnosisKind::ROW_PERMUTATION);
}

TEST_CASE("report llama.cpp #20200: expert matrices stored transposed, slice by slice") {
  // [2 experts, 6 out, 4 in]
  const Weight weight = mistakes::values(Encoding::F16, 12, 4);
  for (const auto& mistake : mistakes::ofValues()) {
    if (mistake.name != "each of 2 slices transposed") continue;
    const Diagnosis result = diagnosed(mistake.make(weight), weight);
    CHECK(result.kind == DiagnosisKind::OTHER_ORDER);
    CHECK(result.variant == "each of 2 slices transposed: [4, 6] where [6, 4] is expected");
  }
}

TEST_CASE(
    "diagnosis of values: a header whose bytes are values of the reference is still a header") {
  const Weight weight = mistakes::values(Encoding::F16, 12, 35);
  std::vector<uint8_t> bytes(weight.bytes.begin() + 100, weight.bytes.begin() + 120);
  bytes.insert(bytes.end(), weight.bytes.begin(), weight.bytes.end());
  CHECK(diagnosed(bytes, weight).kind == DiagnosisKind::SHIFTED);
}

TEST_CASE("diagnosis of values: rounding is told from moving, and is no constant") {
  const Weight weight = mistakes::values(Encoding::F32, 12, 35);
  auto rounded = weight.bytes;
  for (std::size_t at = 0; at < rounded.size(); at += 4) rounded[at] = rounded[at + 1] = 0;
  const Diagnosis result = diagnosed(rounded, weight);
  CHECK(result.kind == DiagnosisKind::UNDETERMINED);
  CHECK(result.message.find("rounded") != std::string::npos);
}

TEST_CASE("diagnosis of values: the picture shows the values, the disagreement the first of them") {
  const auto v = floats({1, 2, 3, 4, 5, 6});
  const auto turned = floats({1, 4, 2, 5, 3, 6});
  const Weight weight{Encoding::F32, {2, 3}, v};
  const Diagnosis result = diagnosed(turned, weight);
  CHECK(result.kind == DiagnosisKind::OTHER_ORDER);
  CHECK(result.variant == "transposed: [3, 2] where [2, 3] is expected");
  CHECK(result.picture ==
        "belongs stands there\n"
        "1 2 3   1 4 2\n"
        "4 5 6   5 3 6\n");
  const auto found =
      **disagreement(turned, Encoding::F32, {BlockOrder::ROW_MAJOR, BlockGrid{2, 3}, Bytes(v)});
  CHECK(found.message ==
        "F32, 2 x 3 values: first value that differs: (0,1) is 4, the reference has 2; 4 of 6 "
        "differ");
  CHECK(!disagreement(v, Encoding::F32, {BlockOrder::ROW_MAJOR, BlockGrid{2, 3}, Bytes(v)})
             ->has_value());
}

TEST_CASE("disagreement of values: two that read the same are told apart by their bytes") {
  const auto message = [](Encoding encoding, Bytes observed, Bytes reference) {
    const auto found =
        disagreement(observed, encoding, {BlockOrder::ROW_MAJOR, BlockGrid{1, 1}, reference});
    REQUIRE(found.ok());
    REQUIRE(found->has_value());
    return (*found)->message;
  };
  const auto ends = [](const std::string& text, std::string_view end) {
    CAPTURE(text);
    CHECK(std::string_view(text).ends_with(end));
  };
  ends(message(Encoding::F32, floats({-0.0f}), floats({0.0f})),
       "(0,0) is -0, the reference has 0; 1 of 1 differ");
  const std::vector<uint8_t> quiet = {1, 0, 0xc0, 0x7f}, other = {2, 0, 0xc0, 0x7f};
  ends(message(Encoding::F32, quiet, other),
       "is nan (0x7fc00001), the reference has nan (0x7fc00002); 1 of 1 differ");
  std::vector<uint8_t> four(8), nearly(8);
  storeLE(four.data(), 4.0);
  storeLE(nearly.data(), 4.0000000000000009);
  ends(message(Encoding::F64, nearly, four),
       "is 4 (0x4010000000000001), the reference has 4 (0x4010000000000000); 1 of 1 differ");
  ends(message(Encoding::F64, Bytes(nearly).first(7), four),
       "(0,0) is missing, the reference has 4; 1 of 1 differ; the bytes end 1 early: 7 of 8");
}

TEST_CASE("diagnosis of values: without a reference, or in kernel order, it is refused") {
  const auto v = floats({1, 2, 3, 4, 5, 6});
  const auto code = [&](Expectation expectation) {
    return diagnose(v, Encoding::F32, expectation).error().code;
  };
  CHECK(code({BlockOrder::ROW_MAJOR, BlockGrid{2, 3}}) == ErrorCode::NOT_BLOCKED);
  CHECK(code({BlockOrder::INPUT_BLOCK_MAJOR, BlockGrid{2, 3}, Bytes(v)}) == ErrorCode::NOT_BLOCKED);
  CHECK(code({BlockOrder::ROW_MAJOR, BlockGrid{2, 4}, Bytes(v)}) == ErrorCode::SIZE_MISMATCH);
}

TEST_CASE("diagnosis of values: foreign ones are counted and measured as if one by one") {
  const Weight weight = mistakes::values(Encoding::F32, 7, 149);
  const Weight other = mistakes::values(Encoding::F32, 14, 149);
  std::vector<uint8_t> bytes(other.bytes.end() - static_cast<std::ptrdiff_t>(weight.bytes.size()),
                             other.bytes.end());
  std::copy_n(weight.bytes.begin(), 40, bytes.begin());
  uint64_t count = 0;
  double largest = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    const float off = loadLE<float>(bytes.data() + at) - loadLE<float>(weight.bytes.data() + at);
    count += off != 0;
    largest = std::max(largest, static_cast<double>(std::abs(off)));
  }
  const Diagnosis result = diagnosed(bytes, weight);
  CHECK(result.kind == DiagnosisKind::FOREIGN);
  CHECK(count == 7 * 149 - 10);
  CHECK(result.explained == count);
  CHECK(result.message.find(joined(count, " of 1043 values differ, by up to ", largest)) !=
        std::string::npos);
}
