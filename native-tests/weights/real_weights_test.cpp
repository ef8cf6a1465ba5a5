// diagnose on what real weights bring: rows of padding, another quantizer, values that were
// computed in another way, writing that stopped.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "encoding/block_anatomy.h"
#include "support/mistakes.h"
#include "support/quantized.h"

using namespace packed;
using mistakes::diagnosed;
using mistakes::inOrder;
using mistakes::kOrders;
using mistakes::Weight;

namespace {

using Buffer = std::vector<uint8_t>;
using Kind = DiagnosisKind;

constexpr uint64_t kInputs = 512;

Weight weightOf(Encoding encoding, const std::vector<float>& values, uint64_t inputs = kInputs) {
  const uint64_t perBlock = specOf(encoding).elements;
  return {encoding,
          {values.size() / inputs, inputs / perBlock},
          quantized(encoding, values, inputs).bytes};
}

// Rows of values, then as many rows of zeros as a vocabulary is padded with.
std::vector<float> padded(uint64_t rows, uint64_t zeros, uint32_t seed = 1) {
  auto values = normalValues(rows * kInputs, seed);
  values.resize((rows + zeros) * kInputs);
  return values;
}

bool says(const Diagnosis& result, std::string_view text) {
  return result.message.find(text) != std::string::npos;
}

// Each block with some of its bytes written anew.
template <class Write>
Buffer rewritten(const Weight& weight, Write write) {
  Buffer bytes = weight.bytes;
  for (std::size_t at = 0; at < bytes.size(); at += weight.blockBytes()) write(bytes.data() + at);
  return bytes;
}

// As the upper half of the f32 that it is.
void storeAsBf16(uint8_t* half) {
  const auto scale = decoded(Encoding::F16, {half, half + 2});
  uint32_t bits = 0;
  std::memcpy(&bits, scale.data(), 4);
  half[0] = static_cast<uint8_t>(bits >> 16);
  half[1] = static_cast<uint8_t>(bits >> 24);
}

constexpr Encoding kSome[] = {Encoding::Q4_0, Encoding::Q8_0, Encoding::Q4_K,
                              Encoding::Q6_K, Encoding::F16,  Encoding::F32};

}  // namespace

TEST_CASE("diagnosis: memory that was never written is no row in another place") {
  for (const Encoding encoding : kSome) {
    for (const uint64_t rows : {20, 64, 110}) {
      const Weight weight = weightOf(encoding, padded(rows, 128 - rows));
      for (const BlockOrder order : kOrders) {
        if (order != BlockOrder::ROW_MAJOR && !specOf(encoding).blocked()) continue;
        const Diagnosis result = diagnosed(Buffer(weight.bytes.size()), weight, order);
        const bool honest = result.kind == Kind::FOREIGN || result.kind == Kind::TRUNCATED ||
                            result.kind == Kind::UNDETERMINED;
        CHECK_MESSAGE(honest, result.message);
        CHECK_FALSE(says(result, "nan"));
      }
    }
  }
}

TEST_CASE("diagnosis: zeros where zeros belong are no end that was never written") {
  auto values = padded(100, 28);
  // What comes before may end in zeros as well.
  std::fill(values.begin() + 100 * kInputs - 7, values.begin() + 100 * kInputs, 0.0f);
  const Weight weight = weightOf(Encoding::Q8_0, values);
  // Another quantizer gives a block of zeros a scale with a sign.
  Buffer bytes = weight.bytes;
  for (std::size_t at = bytes.size() / 128 * 100; at < bytes.size(); at += 34) bytes[at + 1] = 0x80;
  for (const bool signs : {false, true}) {
    const Weight reference{weight.encoding, weight.grid, signs ? bytes : weight.bytes};
    const Diagnosis result =
        diagnosed(signs ? weight.bytes : bytes, reference, BlockOrder::ROW_MAJOR);
    CHECK(result.kind == Kind::UNDETERMINED);
    CHECK_MESSAGE(says(result, "they are the reference's values, in other bytes"), result.message);
  }
}

TEST_CASE("diagnosis: what padding explains is no shift of another tensor") {
  for (const Encoding encoding : kSome) {
    const Weight weight = weightOf(encoding, padded(50, 78));
    const Weight other = weightOf(encoding, padded(50, 78, 2));
    Buffer bytes = other.bytes;
    const auto rows = static_cast<std::ptrdiff_t>(bytes.size() / 128 * 50);
    std::rotate(bytes.begin(), bytes.begin() + rows, bytes.end());
    const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
    const bool honest = result.kind == Kind::FOREIGN || result.kind == Kind::UNDETERMINED;
    CHECK_MESSAGE(honest, result.message);
  }
}

TEST_CASE("diagnosis: values computed in another way are near, in plain encodings too") {
  const auto values = normalValues(64 * kInputs, 3);
  for (const Encoding way : {Encoding::Q8_0, Encoding::Q4_0, Encoding::Q6_K}) {
    const auto again = decoded(way, quantized(way, values, kInputs).bytes);
    for (const Encoding encoding : {Encoding::F32, Encoding::F16}) {
      const Diagnosis result = diagnosed(weightOf(encoding, again).bytes,
                                         weightOf(encoding, values), BlockOrder::ROW_MAJOR);
      CHECK(result.kind == Kind::UNDETERMINED);
      CHECK_MESSAGE(says(result, "nearly the reference's values in their places"), result.message);
    }
  }
}

TEST_CASE("diagnosis: of blocks that are wrong in some fields these are named, and no others") {
  const auto values = normalValues(32 * kInputs, 4);
  for (const Encoding encoding : {Encoding::Q2_K, Encoding::Q4_K, Encoding::Q5_K, Encoding::Q6_K}) {
    const Weight weight = weightOf(encoding, values);
    for (const BlockField& field : anatomyOf(encoding)) {
      if (field.name != "scales") continue;
      // Other numbers, without a rule.
      const Buffer bytes = rewritten(weight, [&](uint8_t* block) {
        for (uint32_t i = 0; i < field.bytes(); ++i) {
          block[field.offset + i] = static_cast<uint8_t>(block[field.offset + i] * 37 + 11 + i);
        }
      });
      const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
      CHECK_MESSAGE(says(result, " are right; what differs is scales"), result.message);
    }
  }
}

TEST_CASE("diagnosis: of several scales those are named that are BF16") {
  for (const Encoding encoding : {Encoding::Q4_1, Encoding::Q5_1, Encoding::Q2_K, Encoding::Q5_K}) {
    const Weight weight = weightOf(encoding, normalValues(64 * kInputs, 5));
    for (const BlockField& field : anatomyOf(encoding)) {
      if (field.type != FieldType::F16) continue;
      const Buffer bytes =
          rewritten(weight, [&](uint8_t* block) { storeAsBf16(block + field.offset); });
      const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
      const std::string words = std::string("and so is ") + std::string(field.name);
      CHECK_MESSAGE(says(result, words + " once read as BF16"), result.message);
    }
  }
}

TEST_CASE("diagnosis: one damaged block is not said to be in every block") {
  const Weight weight = weightOf(Encoding::Q4_0, normalValues(64 * kInputs, 5));
  Buffer bytes = weight.bytes;
  bytes[18 * 777 + 1] ^= 0x70;  // the scale
  const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
  CHECK_MESSAGE(
      says(result, "1 nowhere in the reference; in every block qs is right; what differs is d"),
      result.message);
}

TEST_CASE("diagnosis: that values are the same in other bytes is said of all of them") {
  // Blocks of zeros have any codes.
  auto values = normalValues(1024 * kInputs, 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= i / 32 % 2 ? 0 : 1;
  const Weight weight = weightOf(Encoding::Q4_0, values);
  Buffer bytes = rewritten(weight, [](uint8_t* block) { block[4] ^= block[1] == 0 ? 0x51 : 0; });
  const auto said = [&] { return diagnosed(bytes, weight, BlockOrder::ROW_MAJOR); };
  CHECK_MESSAGE(says(said(), "they are the reference's values, in other bytes"), said().message);
  bytes[18 * 5000 + 2] ^= 0x30;
  CHECK_MESSAGE(!says(said(), "they are the reference's values"), said().message);
}

TEST_CASE("diagnosis: scales written as BF16 are named in either order, whatever the codes hold") {
  for (const Encoding encoding : {Encoding::TQ2_0, Encoding::Q8_0, Encoding::Q4_K}) {
    const Weight weight = weightOf(encoding, normalValues(64 * kInputs, 5));
    const Buffer bytes = rewritten(weight, [&](uint8_t* block) {
      for (const BlockField& field : anatomyOf(encoding)) {
        if (field.type != FieldType::F16) continue;
        storeAsBf16(block + field.offset);
      }
    });
    const Weight written{encoding, weight.grid, bytes};
    for (const BlockOrder order : kOrders) {
      const Diagnosis result = diagnosed(inOrder(written, order), weight, order);
      CHECK_MESSAGE(result.fix == "write the scales as F16 (IEEE half), not as BF16",
                    result.message);
    }
  }
}

TEST_CASE("diagnosis: a forgotten relayout is named however many blocks were quantized otherwise") {
  const auto values = normalValues(64 * kInputs, 6);
  const Weight weight = weightOf(Encoding::Q8_0, values);
  std::vector<float> importance(kInputs);
  for (std::size_t i = 0; i < kInputs; ++i) importance[i] = 0.1f + static_cast<float>(i % 7);
  const Buffer other = quantized(Encoding::Q8_0, values, kInputs, importance).bytes;
  for (const std::size_t percent : {0, 10, 20, 30, 40, 49, 60, 100}) {
    Buffer bytes = weight.bytes;
    for (std::size_t f = 0; f * 34 < bytes.size(); ++f) {
      if (f * 37 % 100 >= percent) continue;
      std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(f * 34), 34,
                  bytes.begin() + static_cast<std::ptrdiff_t>(f * 34));
    }
    const Diagnosis result = diagnosed(bytes, weight, BlockOrder::INPUT_BLOCK_MAJOR);
    CHECK_MESSAGE(result.kind == Kind::OTHER_ORDER, percent, " %: ", result.message);
  }
}

TEST_CASE("diagnosis: what follows the only line of a weight is cut off, whatever it is called") {
  for (const BlockGrid grid : {BlockGrid{1, 16}, BlockGrid{16, 1}}) {
    const Weight weight = mistakes::distinct(Encoding::Q4_0, grid);
    for (const BlockOrder order : kOrders) {
      Buffer bytes = inOrder(weight, order);
      bytes.resize(bytes.size() + 64);
      const Diagnosis result = diagnosed(bytes, weight, order);
      CHECK_MESSAGE(result.fix.ends_with("bytes.subarray(0, 288)"), result.fix);
    }
  }
}

TEST_CASE("diagnosis: lines that are cut short are to be written whole, not copied as they are") {
  const Weight weight = mistakes::distinct(Encoding::Q8_0, {20, 5});
  Buffer bytes;
  for (uint64_t o = 0; o < 20; ++o) {
    bytes.insert(bytes.end(), weight.block(o, 0), weight.block(o, 0) + 4 * 34);
  }
  const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
  CHECK(result.kind == Kind::PADDED_STRIDE);
  CHECK_MESSAGE(result.fix == "the last 1 block of each of the lines is missing: write them whole",
                result.fix);
}

TEST_CASE("diagnosis: no more is explained than the reference has, and lost lines are counted") {
  const Weight weight = mistakes::distinct(Encoding::Q8_0, {20, 5});
  Buffer bytes;
  for (uint64_t o = 0; o < 20; ++o) {
    bytes.insert(bytes.end(), weight.block(o, 0), weight.block(o, 0) + 5 * 34);
    bytes.resize(bytes.size() + 22);
  }
  const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
  CHECK(result.kind == Kind::PADDED_STRIDE);
  CHECK(result.explained == 100);
  // Of 3840 bytes, 113 blocks and two thirds.
  CHECK_MESSAGE(says(result, "Explains 100 of 113 blocks; of the other 13 it foretells nothing"),
                result.message);
  bytes.resize(weight.bytes.size());
  const Diagnosis cut = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
  CHECK_MESSAGE(cut.fix.ends_with("; the last 3 are not in these bytes"), cut.fix);
  // 17 rows of 192 bytes and three blocks and 34 bytes of the next.
  CHECK_MESSAGE(cut.explained == 89, cut.message);
}

TEST_CASE("diagnosis: rows that changed places are shown where the first of them stands") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {64, 4});
  for (const uint64_t first : {0, 2, 20, 60}) {
    Weight moved = weight;
    const auto row = [&](uint64_t o) {
      return moved.bytes.begin() + static_cast<std::ptrdiff_t>(o * 72);
    };
    std::swap_ranges(row(first), row(first + 1), row(63));
    for (const BlockOrder order : kOrders) {
      const Diagnosis result = diagnosed(inOrder(moved, order), weight, order);
      CHECK(result.kind == Kind::ROW_PERMUTATION);
      CHECK_MESSAGE(result.variant.find(" 63") != std::string::npos, result.variant);
    }
  }
}

TEST_CASE(
    "diagnosis: a flipped bit is named with its field, and two's complement where it is one") {
  const auto values = normalValues(32 * kInputs, 7);
  struct {
    Encoding encoding;
    std::string_view field;
    uint8_t flip;
    std::string_view text;
  } const cases[] = {
      {Encoding::Q4_0, "qs", 0x88, "every code of qs is 8 more, modulo 16: two's complement"},
      {Encoding::Q8_0, "qs", 0x80, "every code of qs is 128 more, modulo 256: two's complement"},
      {Encoding::Q5_0, "qs", 0x88, "every code of qs is 8 more, modulo 16: its highest bit"},
      {Encoding::Q5_0, "qh", 0xff, "every code of qh is 1 more, modulo 2: its highest bit"},
      {Encoding::MXFP4, "qs", 0x88, "every code of qs is 8 more, modulo 16: its highest bit"},
  };
  for (const auto& [encoding, name, flip, text] : cases) {
    const Weight weight = weightOf(encoding, values);
    for (const BlockField& field : anatomyOf(encoding)) {
      if (field.name != name) continue;
      const Buffer bytes = rewritten(weight, [&](uint8_t* block) {
        for (uint32_t i = 0; i < field.bytes(); ++i) block[field.offset + i] ^= flip;
      });
      const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
      CHECK(result.kind == Kind::CONSTANT_OFFSET);
      CHECK_MESSAGE(says(result, text), result.message);
    }
  }
}

TEST_CASE("diagnosis: where writing stopped it says so, wherever the rest belongs") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {32, 8});
  const auto half = weight.bytes.size() / 2;
  for (const int fill : {0, 0xff}) {
    for (const bool front : {false, true}) {
      Buffer bytes = weight.bytes;
      std::fill_n(bytes.begin() + (front ? 0 : static_cast<std::ptrdiff_t>(half)), half,
                  static_cast<uint8_t>(fill));
      const Diagnosis result = diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
      CHECK_MESSAGE(result.fix.find("write") != std::string::npos, result.fix);
    }
  }
  Buffer cut = weight.bytes;
  std::fill(cut.end() - 300, cut.end(), 0);
  cut.resize(cut.size() - 100);
  const Diagnosis result = diagnosed(cut, weight, BlockOrder::ROW_MAJOR);
  CHECK(result.kind == Kind::TRUNCATED);
  CHECK_MESSAGE(result.fix.find("were never written") != std::string::npos, result.fix);
  CHECK(result.fix.ends_with("100 bytes behind them are missing"));
}

TEST_CASE("quantize: a block of zeros has a scale without a sign, whatever the zeros have") {
  for (const Encoding encoding :
       {Encoding::Q8_0, Encoding::TQ1_0, Encoding::TQ2_0, Encoding::Q1_0, Encoding::Q2_0}) {
    const Buffer plus = quantized(encoding, std::vector<float>(kInputs, 0.0f), kInputs).bytes;
    CHECK(quantized(encoding, std::vector<float>(kInputs, -0.0f), kInputs).bytes == plus);
    for (const BlockField& field : anatomyOf(encoding)) {
      if (!isFloat(field.type)) continue;
      CHECK_MESSAGE((plus[field.offset + field.bytes() - 1] & 0x80) == 0,
                    std::string(nameOf(encoding)));
    }
  }
}
