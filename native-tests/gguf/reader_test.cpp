#include "gguf/reader.h"

#include <doctest/doctest.h>

#include "gguf/limits.h"
#include "gguf/metadata_value.h"
#include "gguf/tensor_range.h"
#include "support/gguf_builder.h"

using namespace packed;
using packed::test::GgufBuilder;
using State = HeaderReader::State;

namespace {

// Every value type, strings, nested arrays and three tensors.
GgufBuilder richFile(bool littleEndian = true, uint32_t version = 3) {
  GgufBuilder file;
  file.littleEndian = littleEndian;
  file.start(3, 6, version);
  file.textEntry("general.architecture", "test");
  file.u32Entry("general.alignment", 64);
  file.key("test.small", 1).number<int8_t>(-5);
  file.key("test.words", 9).number<uint32_t>(8).number<uint64_t>(3).text("").text("two").text("3");
  file.key("test.numbers", 9).number<uint32_t>(12).number<uint64_t>(2).number(0.5).number(-2.0);
  file.key("test.nested", 9).number<uint32_t>(9).number<uint64_t>(2);
  file.number<uint32_t>(4).number<uint64_t>(1).number<uint32_t>(7);
  file.number<uint32_t>(8).number<uint64_t>(2).text("a").text("bc");
  file.tensor("w", {64, 3}, 2, 0).tensor("strange", {4, 3}, 47, 128).tensor("x", {4}, 0, 192);
  return file.pad(64).zeros(256);
}

HeaderReader readInPieces(Bytes file, uint64_t pieceSize) {
  HeaderReader reader(file.size());
  while (reader.state() == State::WANTS_BYTES && reader.position() < file.size()) {
    const uint64_t size = std::min(pieceSize, file.size() - reader.position());
    reader.feed(file.subspan(reader.position(), size));
  }
  return reader;
}

HeaderReader readWhole(const GgufBuilder& file) { return readInPieces(file.bytes, UINT64_MAX); }

ErrorCode codeOf(const HeaderReader& reader) {
  const auto error = reader.refusal();
  REQUIRE(error);
  CHECK(error->offset.has_value());
  CHECK_FALSE(error->message.empty());
  return error->code;
}

}  // namespace

TEST_CASE("reader: the header is the same whatever the size of the pieces") {
  const GgufBuilder file = richFile();
  for (const uint64_t pieceSize : {1, 3, 8, 64, 4096}) {
    HeaderReader reader = readInPieces(file.bytes, pieceSize);
    REQUIRE(reader.state() == State::DONE);
    const auto taken = std::move(reader).take();
    REQUIRE(taken);
    const GgufHeader& header = *taken;
    CHECK(header.version == 3);
    CHECK(header.littleEndian);
    CHECK(header.alignment == 64);
    CHECK(textValue(header, "general.architecture") == "test");
    REQUIRE(header.metadata.size() == 6);
    const MetadataEntry& words = header.metadata[3];
    CHECK(words.elementType == MetadataType::STRING);
    CHECK(words.count == 3);
    std::vector<std::string> texts;
    forEachText(header, words, [&](std::string_view text, uint64_t) { texts.emplace_back(text); });
    CHECK(texts == std::vector<std::string>{"", "two", "3"});
    CHECK(header.metadata[4].byteLength == 16);
    CHECK(header.metadata[5].elementType == MetadataType::ARRAY);
    REQUIRE(header.tensors.size() == 3);
    CHECK(header.dataStart % 64 == 0);
    CHECK(header.tensors[0].ne == std::vector<uint64_t>{64, 3});
    CHECK(header.tensors[0].encoding == Encoding::Q4_0);
    CHECK(header.tensors[0].byteLength == 108);
    CHECK(header.tensors[2].offset == header.dataStart + 192);
  }
}

TEST_CASE("reader: offsets of fields point at the fields") {
  const GgufBuilder file = richFile();
  const auto header = readWhole(file).take();
  REQUIRE(header);
  const auto at = [&](uint64_t offset) { return file.bytes.data() + offset; };
  for (const MetadataEntry& entry : header->metadata) {
    CHECK(loadLE<uint64_t>(at(entry.offset)) == entry.key.size());
    CHECK(loadLE<uint32_t>(at(entry.typeOffset())) == static_cast<uint32_t>(entry.type));
  }
  for (std::size_t i = 1; i < header->metadata.size(); ++i) {
    CHECK(header->metadata[i].offset == header->metadata[i - 1].endOffset());
  }
  for (const TensorInfo& info : header->tensors) {
    CHECK(loadLE<uint64_t>(at(info.infoOffset)) == info.name.size());
    CHECK(loadLE<uint32_t>(at(info.dimensionCountOffset())) == info.ne.size());
    CHECK(loadLE<uint64_t>(at(info.dimensionOffset(0))) == info.ne[0]);
    CHECK(loadLE<uint32_t>(at(info.typeOffset())) == info.ggmlType);
    CHECK(loadLE<uint64_t>(at(info.offsetOffset())) == info.relativeOffset);
  }
}

TEST_CASE("reader: big-endian says the same as little-endian") {
  const auto little = readWhole(richFile(true)).take();
  const auto big = readWhole(richFile(false)).take();
  REQUIRE(little);
  REQUIRE(big);
  CHECK_FALSE(big->littleEndian);
  CHECK(big->version == 3);
  CHECK(big->alignment == little->alignment);
  CHECK(big->dataStart == little->dataStart);
  for (std::size_t i = 0; i < little->metadata.size(); ++i) {
    CHECK(big->metadata[i].key == little->metadata[i].key);
    CHECK(big->metadata[i].endOffset() == little->metadata[i].endOffset());
  }
  for (std::size_t i = 0; i < little->tensors.size(); ++i) {
    CHECK(big->tensors[i].ne == little->tensors[i].ne);
    CHECK(big->tensors[i].offset == little->tensors[i].offset);
  }
}

TEST_CASE("reader: versions 2 and 3 are read, others are named") {
  CHECK(readWhole(richFile(true, 2)).take()->version == 2);
  for (const uint32_t version : {0u, 1u, 4u, 0x01000000u, 0x04000000u}) {
    HeaderReader reader = readWhole(richFile(true, version));
    CHECK(codeOf(reader) == ErrorCode::UNSUPPORTED_VERSION);
    CHECK(reader.refusal()->offset == 4);
  }
  CHECK(readWhole(richFile(true, 1)).refusal()->message.find("version 1") != std::string::npos);
}

TEST_CASE("reader: every prefix of a valid file is refused or asks for more") {
  const GgufBuilder file = richFile();
  const uint64_t headerEnd = readWhole(file).take()->endOffset;
  for (uint64_t size = 0; size < file.bytes.size(); ++size) {
    // An allocation of exactly this size, so that the sanitizer sees any read beyond it.
    const std::vector<uint8_t> prefix(file.bytes.begin(), file.bytes.begin() + size);
    HeaderReader whole = readInPieces(prefix, UINT64_MAX);
    CHECK(whole.state() == (size < headerEnd ? State::STOPPED : State::DONE));
    CHECK(whole.refusal().has_value() == (size < headerEnd));

    HeaderReader part(file.bytes.size());
    part.feed(prefix);
    CHECK(part.state() == (size < headerEnd ? State::WANTS_BYTES : State::DONE));
    CHECK_FALSE(part.refusal().has_value());
    CHECK((part.wantedBytes() > 0) == (size < headerEnd));
    CHECK(std::move(part).take().ok() == (size >= headerEnd));
  }
}

TEST_CASE("reader: a tensor that cannot be read does not hide the others") {
  const auto header = readWhole(richFile()).take();
  REQUIRE(header);
  const TensorInfo& strange = header->tensors[1];
  CHECK_FALSE(strange.encoding);
  CHECK_FALSE(strange.byteLength);
  CHECK(strange.offset);
  const auto why = byteLengthOf(strange);
  REQUIRE_FALSE(why);
  CHECK(why.error().code == ErrorCode::UNKNOWN_ENCODING);
  CHECK(why.error().tensor == "strange");
  CHECK(why.error().message.find("47") != std::string::npos);
  CHECK(StoredRegions(*header, 4096).lengthOf(strange) == 64);
  CHECK(tensorRange(header->tensors[2], *header->tensors[2].offset + 15).error().code ==
        ErrorCode::TRUNCATED);
}

TEST_CASE("reader: says what a file is that is not GGUF") {
  const auto message = [](std::string_view start, uint64_t zeros = 600) {
    GgufBuilder file;
    file.raw(start).zeros(zeros);
    HeaderReader reader = readWhole(file);
    REQUIRE(reader.refusal());
    CHECK(reader.refusal()->code == ErrorCode::NOT_GGUF);
    return reader.refusal()->message;
  };
  const auto says = [](const std::string& text, std::string_view part) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  };
  says(message("<!DOCTYPE html><html>", 0), "HTML");
  says(message("\n <html lang=en>", 0), "HTML");
  says(message("version https://git-lfs.github.com/spec/v1\noid", 0), "git lfs pull");
  says(message("\x1f\x8b\x08"), "gzip");
  says(message("PK\x03\x04"), "zip");
  says(message("lmgg"), "GGML");
  says(message("tjgg"), "GGJT");
  says(message("FUGG"), "FUGG");
  says(message("gguf"), "\"gguf\"");
  says(message(std::string_view("\x40\0\0\0\0\0\0\0{\"a\"", 12)), "safetensors");
  says(message(""), "all zeros");
  says(message("{\"error\":\"Repository not found\"}", 0), "JSON");
  says(message("Entry not found", 0), "Entry not found");
  says(message("\xef\xbb\xbfGGUF"), "byte order mark");
  says(message("\x01\x02\x03\xff"), "\\x01\\x02\\x03\\xff");
}

TEST_CASE("reader: hostile counts and lengths are refused before anything is allocated") {
  const auto refused = [](GgufBuilder& file, ErrorCode code) {
    file.zeros(200);
    HeaderReader reader = readWhole(file);
    CHECK(codeOf(reader) == code);
    CHECK(reader.header().bytes.size() <= file.bytes.size());
  };
  for (const uint64_t count : {UINT64_MAX, uint64_t{1} << 40, uint64_t{1} << 31, uint64_t{100}}) {
    refused(GgufBuilder().start(count, 0), ErrorCode::LIMIT_EXCEEDED);
    refused(GgufBuilder().start(0, count), ErrorCode::LIMIT_EXCEEDED);
  }
  for (const uint64_t length : {UINT64_MAX, uint64_t{1} << 63, uint64_t{1} << 32, uint64_t{1000}}) {
    refused(GgufBuilder().start(0, 1).number(length),
            length > kMaxKeyBytes ? ErrorCode::LIMIT_EXCEEDED : ErrorCode::TRUNCATED);
    refused(GgufBuilder().start(0, 1).key("a", 8).number(length), ErrorCode::TRUNCATED);
    for (const uint32_t type : {0u, 3u, 8u, 9u, 12u}) {
      refused(GgufBuilder().start(0, 1).key("a", 9).number(type).number(length),
              ErrorCode::TRUNCATED);
    }
  }
  refused(GgufBuilder().start(0, 1).key("a", 13), ErrorCode::MALFORMED);
  refused(GgufBuilder().start(0, 1).key("a", 9).number<uint32_t>(13).number<uint64_t>(0),
          ErrorCode::MALFORMED);
  refused(GgufBuilder().start(1, 0).text("w").number(UINT32_MAX), ErrorCode::LIMIT_EXCEEDED);
}

TEST_CASE("reader: arrays nest to a limit") {
  const auto nested = [](uint32_t depth) {
    GgufBuilder file;
    file.start(0, 1).key("a", 9);
    for (uint32_t i = 1; i < depth; ++i) file.number<uint32_t>(9).number<uint64_t>(1);
    return readWhole(file.number<uint32_t>(0).number<uint64_t>(2).zeros(2));
  };
  CHECK(nested(1).state() == State::DONE);
  CHECK(nested(kMaxArrayDepth).state() == State::DONE);
  CHECK(codeOf(nested(kMaxArrayDepth + 1)) == ErrorCode::LIMIT_EXCEEDED);
}

TEST_CASE("reader: what would make reading ambiguous is refused") {
  const auto twice = GgufBuilder().start(0, 2).u32Entry("a.b", 1).u32Entry("a.b", 2);
  HeaderReader keys = readWhole(twice);
  CHECK(keys.state() == State::DONE);
  CHECK(codeOf(keys) == ErrorCode::MALFORMED);
  CHECK(keys.refusal()->offset == keys.header().metadata[1].offset);

  auto names = GgufBuilder().start(2, 0).tensor("w", {4}, 0, 0).tensor("w", {4}, 0, 32);
  CHECK(codeOf(readWhole(names.pad().zeros(64))) == ErrorCode::MALFORMED);

  const auto zero = GgufBuilder().start(0, 1).u32Entry("general.alignment", 0);
  CHECK(codeOf(readWhole(zero)) == ErrorCode::MALFORMED);
  const auto wide = GgufBuilder().start(0, 1).key("general.alignment", 10).number<uint64_t>(32);
  CHECK(codeOf(readWhole(wide)) == ErrorCode::MALFORMED);
}

TEST_CASE("reader: headers around and beyond the first read are read on") {
  for (const uint64_t target : {65535u, 65536u, 65537u, 9u << 20}) {
    GgufBuilder file;
    file.start(1, 1).key("a.words", 9).number<uint32_t>(8);
    const uint64_t count = (target - 100) / 16;
    file.number(count);
    for (uint64_t i = 1; i < count; ++i) file.text("12345678");
    const std::string last(target - file.bytes.size() - 8 - 33, 'x');
    file.text(last).tensor("w", {4}, 0, 0);
    REQUIRE(file.bytes.size() == target);
    file.pad().zeros(32);

    HeaderReader reader(file.bytes.size());
    int reads = 0;
    while (reader.state() == State::WANTS_BYTES) {
      const MutableBytes room = reader.space(reader.wantedBytes());
      REQUIRE_FALSE(room.empty());
      std::copy_n(file.bytes.begin() + static_cast<std::ptrdiff_t>(reader.position()), room.size(),
                  room.begin());
      reader.commit(room.size());
      ++reads;
    }
    REQUIRE(reader.state() == State::DONE);
    CHECK(reads < 12);
    CHECK(reader.header().endOffset == target);
    CHECK(reader.header().metadata[0].count == count);
  }
}

TEST_CASE("reader: sizes that wrap are overflow, not small numbers") {
  const auto code = [](std::vector<uint64_t> ne, uint32_t type) {
    TensorInfo info;
    info.name = "w";
    info.ne = std::move(ne);
    info.ggmlType = type;
    const auto length = byteLengthOf(info);
    REQUIRE_FALSE(length);
    return length.error().code;
  };
  const uint64_t big = uint64_t{1} << 33;
  CHECK(code({big, big}, 0) == ErrorCode::SIZE_OVERFLOW);
  CHECK(code({4, (1u << 30) - 1, (1u << 30) + 1}, 0) == ErrorCode::SIZE_OVERFLOW);
  CHECK(code({big, big, big, big}, 2) == ErrorCode::SIZE_OVERFLOW);
  CHECK(code({0, big, big}, 0) == ErrorCode::SIZE_OVERFLOW);
  CHECK(code({UINT64_MAX, 1}, 0) == ErrorCode::MALFORMED);
  CHECK(code({2, 2, 2, 2, 2}, 0) == ErrorCode::MALFORMED);
  CHECK(code({64, 8}, 14) == ErrorCode::NOT_BLOCK_DIVISIBLE);
}

TEST_CASE("reader: shapes are shown with both labels") {
  TensorInfo info;
  info.ne = {4, 3};
  CHECK(describeShape(info) == "ne = [in 4, out 3], rows x columns = 3 x 4");
  info.ne = {6, 4};
  CHECK(describeShape(info) == "ne = [in 6, out 4], rows x columns = 4 x 6");
  info.ne = {2, 2, 3, 5};
  CHECK(describeShape(info) == "ne = [in 2, out 2, 3, 5], stacked rows x columns = 5 x 3 x 2 x 2");
}
