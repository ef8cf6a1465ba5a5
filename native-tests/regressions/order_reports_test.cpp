// What went wrong for people who do this job: public reports by repository and number, with the
// smallest input that shows each, and what a diagnosis answers.
#include <doctest/doctest.h>

#include "base/half.h"
#include "encoding/codec.h"
#include "encoding/i2s.h"
#include "support/mistakes.h"
#include "weights/disagreement.h"

namespace packed {
namespace {

using mistakes::Weight;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

Expectation against(const Weight& weight, BlockOrder order) {
  return {order, weight.grid, Bytes(weight.bytes), kRows};
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// One block: its header, then codes by element.
template <class Code>
std::vector<uint8_t> splitNibbles(std::vector<uint8_t> header, Code code) {
  for (uint32_t j = 0; j < 16; ++j) {
    header.push_back(static_cast<uint8_t>(code(j) | code(j + 16) << 4));
  }
  return header;
}

std::vector<float> decoded(Encoding encoding, const std::vector<uint8_t>& block) {
  std::vector<float> values(specOf(encoding).elements);
  decodeBlocks(encoding, block.data(), 1, values.data());
  return values;
}

}  // namespace

TEST_CASE(
    "report SKaiNET #968: ROW_MAJOR bytes where INPUT_BLOCK_MAJOR is expected, 12 misplaced") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {5, 3});
  const Diagnosis result = diagnosed(weight.bytes, weight, kKernel);
  CHECK(result.kind == DiagnosisKind::OTHER_ORDER);
  CHECK(result.variant == "the bytes are ROW_MAJOR");
  const auto first = **disagreement(weight.bytes, weight.encoding, against(weight, kKernel));
  CHECK(*first.belongs == BlockAt{1, 0});
  CHECK(*first.found == BlockAt{0, 1});
  CHECK(first.misplaced == 12);
  CHECK(first.total == 15);
  // Read the other way round, (0,1) is the first, and holds (1,0).
  const auto kernel = mistakes::inOrder(weight, kKernel);
  const auto back = **disagreement(kernel, weight.encoding, against(weight, kRows));
  CHECK(*back.belongs == BlockAt{0, 1});
  CHECK(*back.found == BlockAt{1, 0});
}

TEST_CASE("report SKaiNET #971: bytes that were relaid twice are named, with the way back") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {5, 3});
  for (const auto& mistake : mistakes::all()) {
    if (mistake.name != "prepacked twice") continue;
    const Diagnosis result = diagnosed(mistake.make(weight, kKernel), weight, kKernel);
    CHECK(result.kind == DiagnosisKind::PREPACKED_TWICE);
    CHECK(holds(result.fix, "toCanonicalOrder"));
  }
}

TEST_CASE("report SKaiNET #973: on a square grid the mistake is undetermined, and why") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {3, 3});
  const Diagnosis result = diagnosed(weight.bytes, weight, kKernel);
  CHECK(result.kind == DiagnosisKind::UNDETERMINED);
  CHECK(holds(result.message, "square grid of 3 x 3"));
}

TEST_CASE("reports SKaiNET #1140, larql #156: the element order of I2_S has to be stated") {
  // 128 zeros, but +1 at element 33: another element in every order, nothing in the bytes says
  // which.
  std::vector<uint8_t> stored(32 + 32, 0x55);
  stored[1] = 0x65;
  storeLE<float>(stored.data() + 32, 1);
  std::vector<uint8_t> to(*ternaryBytesOf(TernaryEncoding::BITNET_B1_58, 128));
  const auto refused = importI2S(stored, 128, std::nullopt, to);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::ORDER_REQUIRED);
  for (const char* order : {"group128", "group64", "sequential"}) {
    CHECK(holds(refused.error().message, order));
  }
  std::vector<float> values(128);
  const auto plusOneIn = [&](I2sOrder order) {
    REQUIRE(importI2S(stored, 128, order, to).ok());
    REQUIRE(decodeTernary(TernaryEncoding::BITNET_B1_58, to, values).ok());
    return std::find(values.begin(), values.end(), 1.0f) - values.begin();
  };
  CHECK(plusOneIn(I2sOrder::GROUP_128) == 33);
  CHECK(plusOneIn(I2sOrder::GROUP_64) == 17);
  CHECK(plusOneIn(I2sOrder::SEQUENTIAL) == 6);
}

TEST_CASE("report imp #567: MXFP4 nibbles linear instead of split, 30 of 32 elements elsewhere") {
  const auto code = [](uint32_t e) { return e % 16; };
  std::vector<uint8_t> linear = {127};
  for (uint32_t j = 0; j < 16; ++j) {
    linear.push_back(static_cast<uint8_t>(code(2 * j) | code(2 * j + 1) << 4));
  }
  const Weight weight{Encoding::MXFP4, {1, 1}, splitNibbles({127}, code)};
  const Diagnosis result = diagnosed(linear, weight, kRows);
  CHECK(result.kind == DiagnosisKind::NIBBLE_ORDER);
  CHECK(holds(result.variant, "nibbles in sequence instead of nibbles split over 16 bytes"));
  CHECK(holds(result.variant, "30 of 32 elements stand elsewhere"));
}

TEST_CASE("report aprender #1621: of Q5_0, qh = 0x0000FFFF is the high bit of elements 0 to 15") {
  const auto block = [](uint32_t qh) {
    std::vector<uint8_t> bytes(6);
    storeHalf(bytes.data(), 1);
    storeLE<uint32_t>(bytes.data() + 2, qh);
    return splitNibbles(bytes, [](uint32_t) { return 0; });
  };
  const auto values = decoded(Encoding::Q5_0, block(0x0000FFFF));
  for (std::size_t e = 0; e < 32; ++e) CHECK(values[e] == (e < 16 ? 0.0f : -16.0f));
  const Weight weight{Encoding::Q5_0, {1, 1}, block(0x1234FFFF)};
  const Diagnosis result = diagnosed(block(0xFFFF1234), weight, kRows);
  CHECK(result.kind == DiagnosisKind::NIBBLE_ORDER);
  CHECK(holds(result.variant, "high bits of both halves exchanged"));
}

TEST_CASE("report 1bit-MONSTER #572: Q4_0 codes in two's complement instead of excess 8") {
  const auto block = [](uint32_t code) {
    std::vector<uint8_t> bytes(2);
    storeHalf(bytes.data(), 1);
    return splitNibbles(bytes, [code](uint32_t) { return code; });
  };
  const Weight sevens{Encoding::Q4_0, {1, 1}, block(15)};
  CHECK(decoded(Encoding::Q4_0, sevens.bytes)[0] == 7);
  const Diagnosis result = diagnosed(block(7), sevens, kRows);
  CHECK(result.kind == DiagnosisKind::CONSTANT_OFFSET);
  CHECK(holds(result.variant, "two's complement instead of excess"));
}

TEST_CASE("report mlx #3664: codes of Q4_1 two bytes early are other values, and no known order") {
  const auto ramp = [](uint32_t e) { return e % 16; };
  std::vector<uint8_t> header(4);
  storeHalf(header.data(), 1);
  const Weight weight{Encoding::Q4_1, {1, 1}, splitNibbles(header, ramp)};
  std::vector<uint8_t> early = splitNibbles({header[0], header[1]}, ramp);
  early.resize(20);
  CHECK(decoded(Encoding::Q4_1, weight.bytes)[5] == 5);
  CHECK(decoded(Encoding::Q4_1, early)[5] != 5);
  const auto found = **disagreement(early, weight.encoding, against(weight, kRows));
  CHECK(holds(found.message, "no block of the reference stands there"));
  const Diagnosis result = diagnosed(early, weight, kRows);
  // Zeros behind them may be the m that belongs in front, or nothing at all.
  CHECK(result.kind == DiagnosisKind::UNDETERMINED);
  CHECK(holds(result.message, "parts of those stand in it"));
}

TEST_CASE("report ik_llama.cpp #1561: interleaved types of a fork are named as such") {
  const auto refused = encodingByGgmlType(212);
  REQUIRE(!refused.ok());
  CHECK(holds(refused.error().message, "row-interleaved by 4"));
  CHECK(holds(refused.error().message, "not contiguous"));
}

TEST_CASE("report surogate #151: stride 3 in the bytes, 4 expected, and the other way round") {
  // Q8_0 [96, 5]: 5 rows of 3 blocks; a reader that pads rows to 4 blocks.
  const Weight weight = mistakes::distinct(Encoding::Q8_0, {5, 3});
  Weight padded{Encoding::Q8_0, {5, 4}, {}};
  for (std::ptrdiff_t o = 0; o < 5; ++o) {
    const auto row = weight.bytes.begin() + o * 3 * 34;
    padded.bytes.insert(padded.bytes.end(), row, row + 3 * 34);
    padded.bytes.insert(padded.bytes.end(), 34, 0);
  }
  const Diagnosis wide = diagnosed(padded.bytes, weight, kRows);
  CHECK(wide.kind == DiagnosisKind::PADDED_STRIDE);
  CHECK(wide.variant == "stride 4 blocks in the bytes, 3 blocks expected");
  const Diagnosis narrow = diagnosed(weight.bytes, padded, kRows);
  CHECK(narrow.kind == DiagnosisKind::PADDED_STRIDE);
  CHECK(narrow.variant == "stride 3 blocks in the bytes, 4 blocks expected");
}

TEST_CASE("report llm-scaler #369: scales transposed and codes right do not belong together") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {5, 3});
  auto bytes = weight.bytes;
  for (uint64_t f = 0; f < 15; ++f) {
    // The scale of (o, b) in the place of b * 5 + o.
    const uint64_t to = f % 3 * 5 + f / 3;
    std::copy_n(weight.bytes.begin() + static_cast<std::ptrdiff_t>(f * 18), 2,
                bytes.begin() + static_cast<std::ptrdiff_t>(to * 18));
  }
  const Diagnosis result = diagnosed(bytes, weight, kRows);
  CHECK(result.kind == DiagnosisKind::SCALES_ONLY);
  CHECK(result.variant == "codes in their places, scales in INPUT_BLOCK_MAJOR");
}

}  // namespace packed
