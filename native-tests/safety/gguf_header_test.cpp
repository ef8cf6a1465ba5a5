// Brute force: whatever single byte of a header is damaged, reading ends in an answer.
#include <doctest/doctest.h>

#include "gguf/limits.h"
#include "gguf/reader.h"
#include "gguf/tensor_range.h"
#include "gguf/writer.h"

using namespace packed;

namespace {

std::vector<uint8_t> smallFile() {
  const std::vector<std::string> words = {"a", "bc"};
  const std::vector<MetadataField> metadata = {textField("general.architecture", "test"),
                                               numberField("general.alignment", uint32_t{32}),
                                               textArrayField("test.words", words)};
  const std::vector<TensorToWrite> tensors = {{"w", {64, 3}, Encoding::Q4_0}, {"b", {3}}};
  const auto plan = planGguf(metadata, tensors);
  REQUIRE(plan);
  std::vector<uint8_t> file = plan->header;
  file.resize(plan->totalBytes);
  return file;
}

void readAll(const std::vector<uint8_t>& file) {
  HeaderReader reader(file.size());
  while (reader.state() == HeaderReader::State::WANTS_BYTES) {
    const uint64_t before = reader.position();
    REQUIRE(before < file.size());
    reader.feed(Bytes(file).subspan(before, std::min<uint64_t>(16, file.size() - before)));
  }
  const StoredRegions regions(reader.header(), file.size());
  for (const TensorInfo& info : reader.header().tensors) {
    const auto range = tensorRange(info, file.size());
    if (range) CHECK(range->end() <= file.size());
    const uint64_t stored = regions.lengthOf(info);
    if (stored > 0) CHECK(*info.offset + stored <= file.size());
    CHECK_FALSE(describeShape(info).empty());
  }
  CHECK(reader.header().bytes.size() <= file.size());
}

}  // namespace

TEST_CASE("safety: every single-byte change of a header ends in an answer") {
  const std::vector<uint8_t> good = smallFile();
  HeaderReader reader(good.size());
  reader.feed(good);
  const uint64_t headerEnd = std::move(reader).take()->endOffset;
  for (uint64_t at = 0; at < headerEnd; ++at) {
    for (int change = 1; change < 256; ++change) {
      std::vector<uint8_t> file = good;
      file[at] ^= static_cast<uint8_t>(change);
      readAll(file);
    }
  }
}
