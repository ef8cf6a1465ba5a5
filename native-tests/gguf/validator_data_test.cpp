// Where tensors lie in a file, where it ends, and what may have happened to its bytes on the way.
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "support/gguf_builder.h"
#include "support/gguf_check.h"
#include "support/gguf_samples.h"

using namespace packed;
using namespace packed::test;

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

TEST_CASE("validator: a hole behind the header is not closed up by what follows it") {
  GgufBuilder file = withMetadata(0).tensor("w", {64}, 0, 0);
  const uint64_t header = file.bytes.size();
  file.zeros(64);
  file.tensor("not a tensor info", {8}, 0, 0).pad();
  file.zeros(header + 512 - file.bytes.size());
  Validator validator(file.bytes.size(), {});
  while (validator.wanted().offset < header) {
    const ByteRange wanted = validator.wanted();
    validator.feed(Bytes(file.bytes).subspan(wanted.offset, header - wanted.offset));
  }
  validator.skipHole(64);
  while (!validator.done()) validator.feed(Bytes(file.bytes).subspan(validator.wanted().offset));
  CHECK_FALSE(has(std::move(validator).report(), Rule::UNDECLARED_TENSOR));
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

TEST_CASE("validator: an alignment of the wrong type is refused, not ignored") {
  GgufBuilder file;
  file.start(3, 2).textEntry("general.architecture", "test");
  file.key("general.alignment", 10).number<uint64_t>(16);
  for (uint64_t i = 0; i < 3; ++i) file.tensor(joined("t", i), {4}, 0, 16 * i);
  file.pad(16);
  for (int i = 0; i < 12; ++i) file.number(static_cast<float>(i));
  CHECK(has(check(file.bytes), Rule::ALIGNMENT_TYPE));
  HeaderReader reader(file.bytes.size());
  reader.feed(file.bytes);
  REQUIRE(reader.refusal());
  CHECK(reader.refusal()->code == ErrorCode::MALFORMED);
}

TEST_CASE("validator: tensors beyond 2, 4 and 32 GiB are placed right, in little memory") {
  for (const uint64_t gigabytes : {2u, 3u, 6u, 40u}) {
    const uint64_t size = gigabytes << 30;
    GgufBuilder file;
    file.start(2, 1).textEntry("general.architecture", "test");
    file.tensor("big", {size / 4}, 0, 0).tensor("last", {64}, 0, size).pad();
    const uint64_t dataStart = file.bytes.size();
    Validator validator(dataStart + size + 256, {});
    while (validator.wanted().offset < dataStart) validator.feed(file.bytes);
    validator.skipHole(size);
    REQUIRE(validator.wanted() == ByteRange{dataStart + size, 256});
    GgufBuilder tail;
    for (int i = 0; i < 64; ++i)
      tail.number(i == 9 ? std::numeric_limits<float>::infinity() : 1.0f);
    validator.feed(tail.bytes);
    const auto report = std::move(validator).report();
    CHECK(report.tensorsChecked == 2);
    REQUIRE(has(report, Rule::VALUE_NOT_FINITE));
    CHECK(find(report, Rule::VALUE_NOT_FINITE)->offset == dataStart + size + 36);
  }
}
