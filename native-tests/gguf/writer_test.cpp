#include "gguf/writer.h"

#include <doctest/doctest.h>

#include "gguf/metadata_value.h"
#include "gguf/reader.h"
#include "support/gguf_builder.h"

using namespace packed;
using packed::test::GgufBuilder;

namespace {

std::vector<MetadataField> someMetadata() {
  const std::vector<std::string> words = {"one", "", "drei"};
  return {textField("general.architecture", "test"),
          numberField("test.block_count", uint32_t{2}),
          numberField("test.flag", true),
          numberField("test.ratio", 0.25),
          textArrayField("test.words", words),
          *arrayField("test.bytes", MetadataType::UINT16, std::vector<uint8_t>{1, 0, 2, 0})};
}

GgufHeader headerOf(const GgufPlan& plan) {
  HeaderReader reader(plan.totalBytes);
  reader.feed(plan.header);
  auto header = std::move(reader).take();
  REQUIRE(header);
  return std::move(header).value();
}

}  // namespace

TEST_CASE("writer: what is written reads back the same") {
  const auto metadata = someMetadata();
  const std::vector<TensorToWrite> tensors = {{"w", {64, 3}, Encoding::Q4_0},
                                              {"bias", {3}, Encoding::F32},
                                              {"experts", {256, 2, 4}, Encoding::Q4_K}};
  for (const uint64_t alignment : {8, 24, 32, 64, 4096}) {
    const auto plan = planGguf(metadata, tensors, alignment);
    REQUIRE(plan);
    const GgufHeader header = headerOf(*plan);
    CHECK(header.version == 3);
    CHECK(header.alignment == alignment);
    CHECK(header.dataStart == plan->header.size());
    CHECK(unsignedValue(header, "general.quantization_version") == 2);
    CHECK(unsignedValue(header, "test.block_count") == 2);
    REQUIRE(header.tensors.size() == tensors.size());
    uint64_t position = plan->header.size();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      CHECK(header.tensors[i].name == tensors[i].name);
      CHECK(header.tensors[i].ne == tensors[i].ne);
      CHECK(header.tensors[i].encoding == tensors[i].encoding);
      CHECK(header.tensors[i].offset == plan->tensors[i].offset);
      CHECK(header.tensors[i].byteLength == plan->tensors[i].byteLength);
      CHECK(plan->tensors[i].offset == position);
      CHECK(position % alignment == plan->header.size() % alignment);
      position += plan->tensors[i].byteLength + plan->tensors[i].paddingAfter;
    }
    CHECK(position == plan->totalBytes);
  }
}

TEST_CASE("writer: the same input gives the same bytes, and copied entries change nothing") {
  const auto metadata = someMetadata();
  const auto plan = planGguf(metadata, {});
  REQUIRE(plan);
  CHECK(plan->header == planGguf(metadata, {})->header);
  const GgufHeader header = headerOf(*plan);
  std::vector<MetadataField> copied;
  for (const MetadataEntry& entry : header.metadata) copied.push_back(copiedField(header, entry));
  CHECK(planGguf(copied, {})->header == plan->header);
}

TEST_CASE("writer: of a split model the first shard alone states the quantization version") {
  const std::vector<TensorToWrite> tensors = {{"w", {64, 3}, Encoding::Q4_0}};
  const auto states = [&](const MetadataField& number, const MetadataField& count) {
    const std::vector<MetadataField> metadata = {number, count};
    const auto plan = planGguf(metadata, tensors);
    REQUIRE(plan);
    return unsignedValue(headerOf(*plan), "general.quantization_version").has_value();
  };
  const auto u16 = [](const char* key, uint16_t value) { return numberField(key, value); };
  CHECK(states(u16("split.no", 0), u16("split.count", 3)));
  CHECK_FALSE(states(u16("split.no", 1), u16("split.count", 3)));
  CHECK_FALSE(states(u16("split.no", 256), u16("split.count", 300)));
  CHECK_FALSE(states(numberField("split.no", uint64_t{1}), numberField("split.count", int32_t{2})));
  CHECK(states(u16("split.no", 1), u16("split.count", 1)));
  CHECK(states(textField("split.no", "1"), u16("split.count", 3)));
  CHECK(states(numberField("split.no", int8_t{-1}), u16("split.count", 3)));
}

TEST_CASE("writer: entries of a big-endian file are copied into little-endian") {
  const auto build = [](bool littleEndian) {
    GgufBuilder file;
    file.littleEndian = littleEndian;
    file.start(0, 2).key("a.nested", 9).number<uint32_t>(9).number<uint64_t>(2);
    file.number<uint32_t>(2).number<uint64_t>(2).number<uint16_t>(1).number<uint16_t>(515);
    file.number<uint32_t>(8).number<uint64_t>(1).text("word");
    file.key("a.number", 12).number(1.5);
    return file;
  };
  const auto copied = [](const GgufBuilder& file) {
    HeaderReader reader(file.bytes.size());
    reader.feed(file.bytes);
    const auto header = std::move(reader).take();
    REQUIRE(header);
    std::vector<MetadataField> fields;
    for (const MetadataEntry& entry : header->metadata)
      fields.push_back(copiedField(*header, entry));
    return planGguf(fields, {})->header;
  };
  CHECK(copied(build(false)) == copied(build(true)));
}

TEST_CASE("writer: refuses what would be malformed") {
  const auto code = [](std::vector<MetadataField> metadata, std::vector<TensorToWrite> tensors,
                       uint64_t alignment = 32) {
    const auto plan = planGguf(metadata, tensors, alignment);
    REQUIRE_FALSE(plan);
    CHECK_FALSE(plan.error().offset);
    return plan.error().code;
  };
  CHECK(code({}, {}, 0) == ErrorCode::INVALID_ARGUMENT);
  CHECK(code({}, {}, uint64_t{1} << 31) == ErrorCode::LIMIT_EXCEEDED);
  CHECK(code({}, {}, 12) == ErrorCode::INVALID_ARGUMENT);
  CHECK(code({numberField("general.alignment", uint32_t{64})}, {}) == ErrorCode::INVALID_ARGUMENT);
  CHECK(code({}, {}, uint64_t{4} << 20) == ErrorCode::LIMIT_EXCEEDED);
  CHECK(code({textField("", "x")}, {}) == ErrorCode::INVALID_ARGUMENT);
  CHECK(code({textField("a", "x"), textField("a", "y")}, {}) == ErrorCode::INVALID_ARGUMENT);
  CHECK(code({}, {{"w", {4}}, {"w", {4}}}) == ErrorCode::INVALID_ARGUMENT);
  CHECK(code({}, {{std::string(64, 'w'), {4}}}) == ErrorCode::INVALID_ARGUMENT);
  CHECK(code({}, {{"w", {}}}) == ErrorCode::INVALID_ARGUMENT);
  CHECK(code({}, {{"w", {4, 0}}}) == ErrorCode::INVALID_ARGUMENT);
  CHECK(code({}, {{"w", {1, 1, 1, 1, 1}}}) == ErrorCode::INVALID_ARGUMENT);
  CHECK(code({}, {{"w", {16, 4}, Encoding::Q4_0}}) == ErrorCode::NOT_BLOCK_DIVISIBLE);
  CHECK(code({}, {{"w", {uint64_t{1} << 40, uint64_t{1} << 40}}}) == ErrorCode::SIZE_OVERFLOW);
  CHECK_FALSE(arrayField("a", MetadataType::UINT32, std::vector<uint8_t>{1, 2, 3}).ok());
}
