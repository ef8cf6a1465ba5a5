// What went wrong for people with files: one test a report, the smallest file that shows it, what
// is said about it here.
#include <doctest/doctest.h>

#include "gguf/gguf_types.h"
#include "gguf/reader.h"
#include "support/gguf_builder.h"
#include "support/gguf_check.h"
#include "support/gguf_samples.h"

using namespace packed;
using namespace packed::test;

namespace {

GgufHeader headerOf(const std::vector<uint8_t>& file) {
  HeaderReader reader(file.size());
  reader.feed(file);
  return reader.header();
}

GgufBuilder modelOf(uint64_t tensors, std::string_view architecture = "test") {
  GgufBuilder file;
  return file.start(tensors, 2)
      .textEntry("general.architecture", architecture)
      .u32Entry("general.quantization_version", 2);
}

// Bytes that are neither constant nor NaN in any encoding used here.
std::vector<uint8_t> withData(GgufBuilder file, uint64_t count) {
  file.pad();
  for (uint64_t i = 0; i < count; ++i) file.number(static_cast<uint8_t>(i % 7 + 1));
  return file.pad().bytes;
}

}  // namespace

// --- Orientation and shape

TEST_CASE("report ggml #710, #500: both labels of a shape are always said") {
  const GgufHeader header = headerOf(withTensor({4, 3}, 0, 48));
  CHECK(describeShape(header.tensors.at(0)) == "ne = [in 4, out 3], rows x columns = 3 x 4");
}

TEST_CASE("report llama.cpp #3364: that rows are in their places is not claimed of a square file") {
  const auto report = check(withTensor({64, 64}, 2, 64 * 2 * 18));
  CHECK(report.ok());
  const std::string said = messageOf(report, Rule::ORIENTATION_UNDECIDED);
  CHECK_MESSAGE(mentions(said, "cannot be told from the file; compare with a source"), said);
}

TEST_CASE(
    "report llama.cpp #20200: an expert weight that is transposed beside its siblings is named") {
  GgufBuilder file = modelOf(3);
  file.tensor("blk.0.ffn_down_exps.weight", {6, 4, 2}, 0, 0);
  file.tensor("blk.1.ffn_down_exps.weight", {4, 6, 2}, 0, 192);
  file.tensor("blk.2.ffn_down_exps.weight", {6, 4, 2}, 0, 384);
  const auto report = check(withData(file, 576));
  const Finding* found = find(report, Rule::SHAPE_AGAINST_SIBLINGS);
  REQUIRE(found);
  CHECK(found->tensor == "blk.1.ffn_down_exps.weight");
  CHECK_MESSAGE(mentions(found->message, "transposed"), found->message);
}

TEST_CASE("report llama.cpp #6614: only the row length has to divide, and the message divides it") {
  const auto report = check(withTensor({4544, 2}, 12, 9088 / 256 * 144));
  const std::string said = messageOf(report, Rule::ROW_NOT_DIVISIBLE);
  CHECK_MESSAGE(mentions(said, "4544 = 17*256 + 192"), said);
  CHECK_FALSE(mentions(said, "is divisible"));
}

// --- Types and values

TEST_CASE("report unsloth #3124: MXFP4 is known, an unknown type is named and the others listed") {
  CHECK(worst(check(withTensor({32, 2}, 39, 34))) == "ok");
  GgufBuilder file = modelOf(2);
  file.tensor("strange", {32, 2}, 47, 0).tensor("good", {32, 2}, 0, 64);
  const auto report = check(withData(file, 64 + 256));
  const Finding* found = find(report, Rule::TYPE_UNREADABLE);
  REQUIRE(found);
  CHECK(found->tensor == "strange");
  CHECK_MESSAGE(mentions(found->message, "47 (unknown to this version, which knows 0 to 42)"),
                found->message);
  CHECK(report.tensorsChecked == 1);
}

TEST_CASE("report llama.cpp #17105: type 36 is two things, and which depends on the architecture") {
  for (const char* architecture : {"bitnet", "llama"}) {
    const auto report = check(withTensor({128, 2}, 36, 96, architecture));
    const std::string said = messageOf(report, Rule::TYPE_UNREADABLE);
    CHECK_MESSAGE(mentions(said, "I2_S"), said);
    CHECK_MESSAGE(mentions(said, "IQ4_NL_4_4"), said);
  }
}

TEST_CASE("report llama.cpp #7311: a NaN scale is found with its tensor, row, block and byte") {
  GgufBuilder file = modelOf(1);
  file.tensor("blk.0.attn_k.weight", {256 * 7, 9}, 12, 0);
  std::vector<uint8_t> bytes = withData(file, 63 * 144);
  const uint64_t at = bytes.size() - 63 * 144 + 48 * 144 - (bytes.size() - 63 * 144) % 32;
  bytes[at] = 0x00;
  bytes[at + 1] = 0x7e;
  const auto report = check(bytes);
  const Finding* found = find(report, Rule::SCALE_NOT_FINITE);
  REQUIRE(found);
  CHECK(found->tensor == "blk.0.attn_k.weight");
  CHECK(found->o == 6);
  CHECK(found->b == 6);
  CHECK(found->offset == at);
}

TEST_CASE("report ik_llama.cpp #649: 61,440 NaN blocks are one line with a count") {
  GgufBuilder file = modelOf(1);
  file.tensor("w", {256 * 8, 7680}, 12, 0).pad();
  const uint64_t start = file.bytes.size();
  std::vector<uint8_t> bytes = file.zeros(61440 * 144).bytes;
  for (uint64_t i = 0; i < 61440; ++i) bytes[start + i * 144 + 1] = 0x7e;
  const auto report = check(bytes);
  CHECK(report.countOf(Severity::ERROR) == 1);
  CHECK(mentions(messageOf(report, Rule::SCALE_NOT_FINITE), "in 61440 of 61440 blocks"));
}

TEST_CASE("report BitNet #608: matrices of nothing but zeros are counted and named") {
  GgufBuilder file = modelOf(2, "bitnet-b1.58");
  file.tensor("blk.0.ffn_up.weight", {128, 64}, 36, 0);
  file.tensor("blk.1.ffn_up.weight", {128, 64}, 36, 2080).pad();
  const auto report = check(file.zeros(2 * 2080).bytes);
  bool said = false;
  for (const Finding& finding : report.findings) {
    said |= mentions(finding.message, "constant bytes in 2 tensors");
  }
  CHECK(said);
}

// --- Files

TEST_CASE("report llama.cpp #6885: a file without its last byte is short by one") {
  std::vector<uint8_t> file = withTensor({32, 2}, 0, 256);
  const uint64_t size = file.size();
  file.pop_back();
  const std::string said = messageOf(check(file), Rule::DATA_SHORT);
  CHECK_MESSAGE(mentions(said, joined("it needs ", size, " bytes, has ", size - 1)), said);
  CHECK_MESSAGE(mentions(said, "\"w\" is short by 1"), said);
}

TEST_CASE("report aprender #658: a file of no tensors is no success") {
  const auto report = check(modelOf(0).pad().bytes);
  CHECK_FALSE(report.ok());
  CHECK(report.tensorsChecked == 0);
  CHECK(mentions(messageOf(report, Rule::NOTHING_CHECKED), "nothing was checked"));
}

TEST_CASE("report aprender #2535: a missing tensor is not a truncated file") {
  GgufBuilder file = modelOf(5, "llama");
  const char* names[] = {"blk.0.attn_q.weight", "blk.0.attn_k.weight", "blk.1.attn_q.weight",
                         "blk.1.attn_k.weight", "blk.2.attn_q.weight"};
  for (uint64_t i = 0; i < 5; ++i) file.tensor(names[i], {32, 32}, 0, 4096 * i);
  const auto report = check(withData(file, 5 * 4096));
  CHECK(mentions(messageOf(report, Rule::TENSOR_MISSING), "blk.2.attn_k"));
  for (const Finding& finding : report.findings) {
    CHECK(specOf(finding.rule).code != ErrorCode::TRUNCATED);
  }
}

TEST_CASE("report llama.cpp #13258: a header of zeros is a write that did not finish") {
  const std::string said = messageOf(check(std::vector<uint8_t>(4096)), Rule::WRONG_MAGIC);
  CHECK_MESSAGE(mentions(said, "zero"), said);
  CHECK_MESSAGE(mentions(said, "did not finish"), said);
}

TEST_CASE("report ollama #18130: an alignment of another type than u32 is refused, not ignored") {
  GgufBuilder file;
  file.start(3, 2).textEntry("general.architecture", "test");
  file.key("general.alignment", 10).number(uint64_t{16});
  for (uint64_t i = 0; i < 3; ++i) file.tensor(joined("t", i), {4}, 0, 16 * i);
  file.pad(16);
  for (int i = 0; i < 12; ++i) file.number(static_cast<float>(i));
  CHECK(has(check(file.bytes), Rule::ALIGNMENT_TYPE));
  HeaderReader reader(file.bytes.size());
  reader.feed(file.bytes);
  REQUIRE(reader.refusal());
  CHECK(mentions(reader.refusal()->message, "must be a u32"));
}

TEST_CASE(
    "report hrx-system #278: alignment 24 is fine by the specification, llama.cpp refuses it") {
  GgufBuilder file = withMetadata(1).u32Entry("general.alignment", 24).tensor("w", {6}, 0, 0);
  file.pad(24);
  for (int i = 0; i < 6; ++i) file.number(static_cast<float>(i));
  CHECK(worst(check(file.bytes)) == "ok");
  const auto report = check(file.bytes, {.profile = Profile::LLAMA});
  CHECK(worst(report) == "error");
  CHECK(has(report, Rule::ALIGNMENT_NOT_POWER_OF_TWO));
}

TEST_CASE("report llama.cpp #26978, #27203: a size that wraps around 64 bits is an overflow") {
  for (const std::vector<uint64_t>& ne :
       {std::vector<uint64_t>{4, (1u << 30) - 1, (1u << 30) + 1},
        std::vector<uint64_t>{uint64_t{1} << 33, uint64_t{1} << 33}}) {
    const auto report = check(withTensor(ne, 0, 64));
    CHECK(worst(report) == "error");
    CHECK(has(report, Rule::SIZE_OVERFLOWS));
    CHECK(report.tensorsChecked == 0);
  }
}
