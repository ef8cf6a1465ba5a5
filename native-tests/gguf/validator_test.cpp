#include "gguf/validator.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "support/gguf_builder.h"
#include "support/gguf_check.h"
#include "support/gguf_samples.h"

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
      for (const auto& report : {spec, llama}) {
        for (const Finding& one : report.findings) {
          CAPTURE(one.message);
          CHECK_FALSE(one.message.empty());
          REQUIRE(one.offset);
          CHECK(*one.offset <= file.size());
        }
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

TEST_CASE("validator: type 39 is MXFP4, type 47 is unknown to this version") {
  CHECK(worst(check(withTensor({64, 2}, 39, 68))) == "ok");
  const auto unknown = check(withTensor({64, 2}, 47, 68));
  CHECK(mentions(messageOf(unknown, Rule::TYPE_UNREADABLE), "47"));
  CHECK(mentions(messageOf(unknown, Rule::TYPE_UNREADABLE), "0 to 42"));
}
