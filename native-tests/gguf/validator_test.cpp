#include "gguf/validator.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "support/gguf_builder.h"
#include "support/gguf_check.h"

using namespace packed;
using namespace packed::test;

namespace {

const std::string kCases = PACKED_SOURCE_DIR "/native-tests/cases/gguf/";

std::vector<uint8_t> readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Expected {
  std::string file, spec, llama, what;
};

std::vector<Expected> expectedVerdicts() {
  std::ifstream table(kCases + "EXPECTED.tsv");
  std::vector<Expected> rows;
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    Expected row;
    std::getline(fields, row.file, '\t');
    std::getline(fields, row.spec, '\t');
    std::getline(fields, row.llama, '\t');
    std::getline(fields, row.what);
    rows.push_back(row);
  }
  return rows;
}

// One F32 matrix of 2 rows of 32, and what the test puts in front of it.
GgufBuilder withMetadata(uint64_t entries) {
  return GgufBuilder().start(1, entries + 1).textEntry("general.architecture", "test");
}
std::vector<uint8_t> withMatrix(GgufBuilder file) {
  file.tensor("w", {32, 2}, 0, 0).pad();
  for (int i = 0; i < 64; ++i) file.number(static_cast<float>(i) * 0.25f);
  return file.bytes;
}

std::vector<uint8_t> withTensor(std::vector<uint64_t> ne, uint32_t type, uint64_t dataBytes,
                                std::string_view architecture = "test") {
  GgufBuilder file;
  file.start(1, 2).textEntry("general.architecture", architecture);
  file.u32Entry("general.quantization_version", 2).tensor("w", std::move(ne), type, 0).pad();
  for (uint64_t i = 0; i < dataBytes; ++i) file.number(static_cast<uint8_t>(i % 7 + 1));
  return file.pad().bytes;
}

}  // namespace

TEST_CASE("validator: the verdict on every case file is the expected one, in any window size") {
  const auto rows = expectedVerdicts();
  REQUIRE(rows.size() == 61);
  for (const Expected& row : rows) {
    CAPTURE(row.file);
    CAPTURE(row.what);
    const std::vector<uint8_t> file = readFile(kCases + row.file);
    for (const uint64_t window : {uint64_t{13}, uint64_t{4096}, UINT64_MAX}) {
      if (window < 100 && file.size() > 100000) continue;
      const auto spec = check(file, {.profile = Profile::SPEC}, window);
      const auto llama = check(file, {.profile = Profile::LLAMA}, window);
      CHECK(worst(spec) == row.spec);
      CHECK(worst(llama) == row.llama);
      for (const Finding& one : spec.findings) {
        CHECK_FALSE(one.message.empty());
        if (one.offset) CHECK(*one.offset <= file.size());
      }
    }
  }
}

TEST_CASE("validator: a good file has no finding worse than information, and counts what it saw") {
  const auto report = check(withMatrix(withMetadata(0)));
  CHECK(worst(report) == "ok");
  CHECK(report.ok());
  CHECK(report.tensorsChecked == 1);
  CHECK(report.bytesChecked == 256);
  const auto headerOnly = check(withMatrix(withMetadata(0)), {.tensorData = false});
  CHECK(headerOnly.ok());
  CHECK(headerOnly.bytesChecked == 0);
  CHECK(has(headerOnly, Rule::NOT_SCANNED));
}

TEST_CASE("validator: nothing checked is no success") {
  const auto report = check(GgufBuilder().start(0, 0).bytes);
  CHECK_FALSE(report.ok());
  CHECK(has(report, Rule::NOTHING_CHECKED));
}

TEST_CASE("validator: an empty file is judged without a byte") {
  const auto report = check({});
  CHECK(worst(report) == "error");
  CHECK(has(report, Rule::EMPTY_FILE));
}

TEST_CASE("validator: keys that are empty, reserved, cut by NUL or not snake case are reported") {
  const auto verdict = [](std::string_view key) {
    return check(withMatrix(withMetadata(1).u32Entry(key, 1)));
  };
  CHECK(has(verdict(""), Rule::KEY_EMPTY));
  CHECK(has(verdict("__proto__"), Rule::KEY_RESERVED));
  CHECK(has(verdict(std::string_view("a\0b", 3)), Rule::KEY_NUL));
  CHECK(has(verdict("General.Name"), Rule::KEY_SPELLING));
  CHECK(has(verdict("gr\xc3\xb6\xc3\x9f"
                    "e"),
            Rule::KEY_SPELLING));
  CHECK(has(verdict("a.\xff"), Rule::STRING_NOT_UTF8));
  CHECK(has(verdict("general.architecture"), Rule::KEY_DUPLICATE));
  CHECK(worst(verdict("nomic-bert.some_key_2")) == "ok");
}

TEST_CASE("validator: known keys have their type") {
  auto name = withMetadata(1).u32Entry("general.name", 3);
  CHECK(has(check(withMatrix(name)), Rule::KEY_TYPE));
  auto length = withMetadata(1).key("test.context_length", 10).number<uint64_t>(4096);
  CHECK(worst(check(withMatrix(length))) == "ok");
  CHECK(has(check(withMatrix(length), {.profile = Profile::LLAMA}), Rule::KEY_WIDTH));
  CHECK(worst(check(withMatrix(length), {.profile = Profile::LLAMA})) == "error");
  auto split = withMetadata(1).u32Entry("split.no", 0);
  CHECK(has(check(withMatrix(split)), Rule::KEY_TYPE));
}

TEST_CASE("validator: strings and bools are checked inside arrays of arrays too") {
  auto file = withMetadata(1).key("a.nested", 9).number<uint32_t>(9).number<uint64_t>(2);
  file.number<uint32_t>(8).number<uint64_t>(2).text("good").text("bad\xc3");
  const uint64_t boolAt = file.bytes.size() + 12;
  file.number<uint32_t>(7)
      .number<uint64_t>(3)
      .number<uint8_t>(3)
      .number<uint8_t>(1)
      .number<uint8_t>(2);
  const auto report = check(withMatrix(file));
  CHECK(has(report, Rule::STRING_NOT_UTF8));
  REQUIRE(has(report, Rule::BOOL_NOT_0_OR_1));
  CHECK(find(report, Rule::BOOL_NOT_0_OR_1)->offset == boolAt);
  CHECK(find(report, Rule::BOOL_NOT_0_OR_1)->count == 2);
  CHECK(report.severityOf(*find(report, Rule::ARRAY_NESTED)) == Severity::INFO);
}

TEST_CASE("validator: alignments are judged by each profile's own rule") {
  const auto verdicts = [](uint32_t alignment) {
    auto file = withMetadata(1).u32Entry("general.alignment", alignment);
    file.tensor("w", {32, 2}, 0, 0);
    if (alignment > 0) file.pad(alignment);
    file.zeros(256 - 4).number(1.0f);
    if (alignment > 0) file.pad(alignment);
    return worst(check(file.bytes, {.profile = Profile::SPEC})) + "/" +
           worst(check(file.bytes, {.profile = Profile::LLAMA}));
  };
  CHECK(verdicts(0) == "error/error");
  CHECK(verdicts(1) == "error/ok");
  CHECK(verdicts(3) == "error/error");
  CHECK(verdicts(8) == "ok/ok");
  CHECK(verdicts(12) == "error/error");
  CHECK(verdicts(24) == "ok/error");
  CHECK(verdicts(32) == "ok/ok");
  CHECK(verdicts(4096) == "ok/ok");
}

TEST_CASE("validator: a count that is one too high reads padding as a tensor") {
  GgufBuilder file;
  file.start(2, 1).textEntry("general.architecture", "test").tensor("w", {32, 2}, 0, 0);
  const auto report = check(file.pad().zeros(256).bytes);
  CHECK(worst(report) == "error");
  CHECK(has(report, Rule::TENSOR_INFO_IS_PADDING));
}

TEST_CASE("validator: a metadata count that is one too low is seen in the tensor's name") {
  GgufBuilder file;
  file.start(1, 0).textEntry("general.architecture", "test").tensor("w", {32, 2}, 0, 0);
  const auto report = check(file.pad().zeros(256).bytes);
  CHECK(worst(report) == "error");
}

TEST_CASE("validator: removed, future and foreign types are named, and the listing goes on") {
  const auto message = [](uint32_t type, std::string_view architecture = "test") {
    GgufBuilder file;
    file.start(2, 1).textEntry("general.architecture", architecture);
    file.tensor("strange", {128, 2}, type, 0).tensor("w", {32, 2}, 0, 256).pad();
    file.zeros(256);
    for (int i = 0; i < 64; ++i) file.number(static_cast<float>(i));
    const auto report = check(file.bytes);
    CHECK(report.tensorsChecked == 1);
    CHECK(find(report, Rule::TYPE_UNREADABLE)->tensor == "strange");
    return messageOf(report, Rule::TYPE_UNREADABLE);
  };
  CHECK(mentions(message(4), "Q4_2"));
  CHECK(mentions(message(31), "interleaved 4x4"));
  CHECK(mentions(message(47), "0 to 42"));
  CHECK(mentions(message(212), "row-interleaved"));
  CHECK(mentions(message(140), "ik_llama.cpp"));
  CHECK(mentions(message(36), "IQ4_NL_4_4"));
  CHECK(mentions(message(36, "bitnet-b1.58"), "group128"));
}

TEST_CASE("validator: the quantization version is missed where layouts have changed") {
  GgufBuilder old;
  old.start(1, 1).textEntry("general.architecture", "test").tensor("w", {256, 1}, 12, 0).pad();
  CHECK(has(check(old.zeros(160).bytes), Rule::QUANTIZATION_VERSION_MISSING));
  GgufBuilder recent;
  recent.start(1, 1).textEntry("general.architecture", "test").tensor("w", {32, 1}, 39, 0).pad();
  const auto report = check(recent.zeros(32).bytes);
  CHECK(worst(report) == "ok");
  CHECK(has(report, Rule::QUANTIZATION_VERSION_UNSTATED));
}

TEST_CASE("validator: the file's end is told exactly") {
  const std::vector<uint8_t> good = withTensor({256, 3}, 12, 432);
  CHECK(worst(check(good)) == "ok");
  const uint64_t end = good.size() - (448 - 432);  // of the last tensor, before its padding
  const auto cut = [&](uint64_t size) {
    return check(std::vector<uint8_t>(good.begin(), good.begin() + static_cast<long>(size)));
  };
  SUBCASE("complete without its final padding is not truncated") {
    const auto report = cut(end);
    CHECK(worst(report) == "ok");
    CHECK(has(report, Rule::FINAL_PADDING_MISSING));
    CHECK_FALSE(has(report, Rule::DATA_SHORT));
  }
  SUBCASE("short by one byte") {
    const auto report = cut(end - 1);
    REQUIRE(has(report, Rule::DATA_SHORT));
    const Finding& found = *find(report, Rule::DATA_SHORT);
    CHECK(found.tensor == "w");
    CHECK(found.offset == end - 1);
    CHECK(mentions(found.message, joined("needs ", end, " bytes, has ", end - 1)));
    CHECK(mentions(found.message, "short by 1"));
  }
  SUBCASE("bytes after the end") {
    std::vector<uint8_t> longer = good;
    longer.resize(longer.size() + 5, 'x');
    const auto report = check(longer);
    CHECK(worst(report) == "warning");
    CHECK(find(report, Rule::TRAILING_BYTES)->offset == good.size());
    CHECK(find(report, Rule::TRAILING_BYTES)->length == 5);
  }
  SUBCASE("no data at all") {
    CHECK(has(cut(end - 432), Rule::DATA_MISSING));
    CHECK(has(cut(end - 433), Rule::DATA_MISSING));
  }
  SUBCASE("the padding behind the header missing") {
    std::vector<uint8_t> shifted = good;
    const uint64_t dataStart = end - 432;
    HeaderReader reader(good.size());
    reader.feed(good);
    const uint64_t headerEnd = reader.header().endOffset;
    REQUIRE(headerEnd < dataStart);
    shifted.erase(shifted.begin() + static_cast<long>(headerEnd),
                  shifted.begin() + static_cast<long>(dataStart));
    const auto report = check(shifted);
    CHECK(worst(report) == "error");
    CHECK(has(report, Rule::HEADER_PADDING_MISSING));
  }
}

TEST_CASE("validator: offsets that overlap, share, wrap, or leave the file are errors in both") {
  const auto rules = [](uint64_t second, Profile profile) {
    GgufBuilder file;
    file.start(2, 1).textEntry("general.architecture", "test");
    file.tensor("w", {32, 2}, 0, 0).tensor("x", {32}, 0, second).pad().zeros(256 + 128);
    return check(file.bytes, {.profile = profile});
  };
  for (const Profile profile : {Profile::SPEC, Profile::LLAMA}) {
    CHECK(worst(rules(256, profile)) == "ok");
    CHECK(has(rules(0, profile), Rule::TENSORS_OVERLAP));
    CHECK(has(rules(128, profile), Rule::TENSORS_OVERLAP));
    CHECK(has(rules(100, profile), Rule::OFFSET_MISALIGNED));
    CHECK(has(rules(UINT64_MAX - 31, profile), Rule::OFFSET_WRAPS));
    CHECK(has(rules(uint64_t{1} << 40, profile), Rule::OFFSET_PAST_END));
    CHECK_FALSE(has(rules(uint64_t{1} << 40, profile), Rule::DATA_SHORT));
  }
}

TEST_CASE("validator: thousands of equal findings are one with a count") {
  GgufBuilder file;
  file.start(500, 1).textEntry("general.architecture", "test");
  for (uint64_t i = 0; i < 500; ++i) file.tensor(joined("t", i), {4}, 47, 32 * i);
  const auto report = check(file.pad().zeros(500 * 32).bytes);
  uint64_t listed = 0;
  uint64_t counted = 0;
  for (const Finding& one : report.findings) {
    if (one.rule != Rule::TYPE_UNREADABLE) continue;
    ++listed;
    counted += one.count;
  }
  CHECK(listed == kListedPerRule + 1);
  CHECK(counted == 500);
}

TEST_CASE("validator: big-endian files are read, values and all") {
  GgufBuilder file;
  file.littleEndian = false;
  file.start(2, 2).textEntry("general.architecture", "test");
  file.u32Entry("general.quantization_version", 2);
  file.tensor("w", {32, 2}, 0, 0).tensor("q", {32, 2}, 2, 256).pad();
  for (int i = 0; i < 63; ++i) file.number(static_cast<float>(i));
  file.number(std::numeric_limits<float>::infinity());
  file.number<uint16_t>(0x3c00).zeros(16).number<uint16_t>(0x7e00).zeros(16).pad();
  const auto report = check(file.bytes);
  CHECK(find(report, Rule::VALUE_NOT_FINITE)->o == 1);
  CHECK(find(report, Rule::VALUE_NOT_FINITE)->b == 31);
  CHECK(find(report, Rule::SCALE_NOT_FINITE)->o == 1);
  CHECK(has(report, Rule::BYTE_ORDER_BIG));
  CHECK(worst(check(withMatrix(withMetadata(0)))) == "ok");
}

TEST_CASE("validator: a hole counts as zeros and is reported") {
  GgufBuilder file;
  file.start(1, 1).textEntry("general.architecture", "test").tensor("w", {256, 1024}, 0, 0).pad();
  const uint64_t dataStart = file.bytes.size();
  const uint64_t total = dataStart + 256 * 1024 * 4;
  Validator validator(total, {});
  while (validator.wanted().offset < dataStart) validator.feed(file.bytes);
  validator.skipHole(UINT64_MAX);
  REQUIRE(validator.done());
  const auto report = std::move(validator).report();
  CHECK(report.bytesSkipped == total - dataStart);
  CHECK(report.tensorsChecked == 1);
  CHECK(has(report, Rule::HOLES_SKIPPED));
  CHECK(has(report, Rule::ALL_ZERO_MATRIX));
}

TEST_CASE("validator: text decoding and CRLF conversion are recognised") {
  GgufBuilder file = withMetadata(2);
  file.u32Entry("test.context_length", 4096).u32Entry("test.rope_base", 0xbf9a2180);
  file.tensor("w", {32, 16}, 0, 0).pad();
  for (uint32_t i = 0; i < 512; ++i) file.number(static_cast<float>(i * i) * -0.37f);
  REQUIRE(worst(check(file.bytes)) == "ok");

  std::string decoded;
  std::string crlf;
  for (const uint8_t byte : file.bytes) {
    decoded += byte < 0x80 ? std::string(1, static_cast<char>(byte)) : "\xef\xbf\xbd";
    crlf += byte == '\n' ? std::string("\r\n") : std::string(1, static_cast<char>(byte));
  }
  const auto verdict = [](const std::string& text) {
    return check(std::vector<uint8_t>(text.begin(), text.end()));
  };
  CHECK(has(verdict(decoded), Rule::TEXT_DECODED));
  CHECK(worst(verdict(decoded)) == "error");
  // Only the data damaged: the header has no byte above 127.
  const std::string header(file.bytes.begin(), file.bytes.begin() + 200);

  GgufBuilder lines = withMetadata(0);
  lines.tensor("w", {10, 10}, 0, 0).pad();
  for (uint32_t i = 0; i < 100; ++i) lines.number(uint32_t{0x3c0a0000 + i * 0x10a});
  crlf.clear();
  for (const uint8_t byte : lines.bytes) {
    crlf += byte == '\n' ? std::string("\r\n") : std::string(1, static_cast<char>(byte));
  }
  CHECK(has(verdict(crlf), Rule::CRLF_CONVERTED));
  CHECK(worst(verdict(crlf)) == "error");
}

TEST_CASE("validator: text in strings is no sign of a text decoder") {
  auto file = withMetadata(1).key("tokenizer.ggml.tokens", 9).number<uint32_t>(8);
  file.number<uint64_t>(20);
  for (int i = 0; i < 20; ++i) file.text(i % 2 ? "\xef\xbf\xbd" : "line\r\n");
  const auto report = check(withMatrix(file));
  CHECK(worst(report) == "ok");
  CHECK_FALSE(has(report, Rule::TEXT_DECODED));
  CHECK_FALSE(has(report, Rule::CRLF_CONVERTED));
}

TEST_CASE("validator: many small tensors in one window are all looked at") {
  GgufBuilder file;
  file.start(100, 1).textEntry("general.architecture", "test");
  for (uint64_t i = 0; i < 100; ++i) file.tensor(joined("t", i), {8}, 0, 32 * i);
  file.pad();
  for (uint64_t i = 0; i < 800; ++i) file.number(static_cast<float>(i));
  const auto report = check(file.bytes);
  CHECK(report.tensorsChecked == 100);
  CHECK(report.bytesChecked == 3200);
  CHECK_FALSE(has(report, Rule::NOT_SCANNED));
}
