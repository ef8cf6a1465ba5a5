#include "gguf/split_set.h"

#include <doctest/doctest.h>

#include "gguf/reader.h"
#include "support/gguf_builder.h"
#include "support/gguf_check.h"

using namespace packed;
using namespace packed::test;

namespace {

GgufBuilder shard(uint16_t number, uint16_t count, int32_t total,
                  const std::vector<std::string>& names) {
  GgufBuilder file;
  file.start(names.size(), number == 0 ? 4 : 3);
  if (number == 0) file.textEntry("general.architecture", "test");
  file.key("split.no", 2).number(number).key("split.count", 2).number(count);
  file.key("split.tensors.count", 5).number(total);
  for (std::size_t i = 0; i < names.size(); ++i) file.tensor(names[i], {8}, 0, 32 * i);
  file.pad();
  for (std::size_t i = 0; i < 8 * names.size(); ++i) file.number(static_cast<float>(i));
  return file;
}

FindingList setOf(const std::vector<GgufBuilder>& files) {
  std::vector<GgufHeader> headers;
  for (const GgufBuilder& file : files) {
    HeaderReader reader(file.bytes.size());
    reader.feed(file.bytes);
    headers.push_back(std::move(reader).take().value());
  }
  std::vector<Shard> shards;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    shards.push_back({joined("m-0000", i + 1, ".gguf"), &headers[i]});
  }
  FindingList findings(Profile::SPEC);
  checkSplitSet(shards, findings);
  return findings;
}

}  // namespace

TEST_CASE("split: names of shards are taken apart") {
  const auto name = shardNameOf("folder/model-q4-00002-of-00010.gguf");
  REQUIRE(name);
  CHECK(name->prefix == "folder/model-q4");
  CHECK(name->number == 2);
  CHECK(name->count == 10);
  CHECK_FALSE(shardNameOf("model-2-of-10.gguf"));
  CHECK_FALSE(shardNameOf("model.gguf"));
}

TEST_CASE("split: a complete set has no finding, in any sequence, with a shard of no tensors") {
  const auto first = shard(0, 3, 3, {});
  const auto second = shard(1, 3, 3, {"a", "b"});
  const auto third = shard(2, 3, 3, {"c"});
  CHECK_FALSE(setOf({first, second, third}).hasErrors());
  CHECK_FALSE(setOf({third, first, second}).hasErrors());
}

TEST_CASE("split: missing, repeated and contradictory shards are told apart") {
  const auto first = shard(0, 3, 3, {"a"});
  const auto second = shard(1, 3, 3, {"b"});
  const auto third = shard(2, 3, 3, {"c"});
  CHECK(setOf({first, third}).countOf(Rule::SPLIT_MISSING) == 1);
  CHECK(setOf({first, second, third, second}).countOf(Rule::SPLIT_DUPLICATE) == 1);
  CHECK(setOf({first, second, shard(2, 4, 3, {"c"})}).countOf(Rule::SPLIT_CONTRADICTION) > 0);
  CHECK(setOf({first, second, shard(2, 3, 3, {"b"})}).countOf(Rule::SPLIT_CONTRADICTION) > 0);
  CHECK(setOf({first, second, shard(2, 3, 3, {"c", "d"})}).countOf(Rule::SPLIT_CONTRADICTION) > 0);
}

TEST_CASE("split: one shard is checked against its own keys and its name") {
  const auto report = [](const GgufBuilder& file, std::string name) {
    return check(file.bytes, {.fileName = std::move(name)});
  };
  const auto good = shard(1, 3, 4, {"a", "b"});
  CHECK(worst(report(good, "m-00002-of-00003.gguf")) == "ok");
  CHECK(has(report(good, "m-00002-of-00003.gguf"), Rule::SPLIT_ALONE));
  CHECK(has(report(good, "m-00003-of-00003.gguf"), Rule::SPLIT_NAME));
  CHECK(worst(report(shard(3, 3, 4, {"a"}), "")) == "error");
  CHECK(has(report(shard(1, 3, 1, {"a", "b"}), ""), Rule::SPLIT_CONTRADICTION));
}
