// A file of any bytes: reading its header ends, gives the same whatever the pieces, stays inside
// the file, and what it accepts can be written and read again.
#include <algorithm>

#include "fuzz/fuzz_input.h"
#include "gguf/metadata_value.h"
#include "gguf/reader.h"
#include "gguf/tensor_range.h"
#include "gguf/weight_form.h"
#include "gguf/writer.h"

using namespace packed;

namespace {

HeaderReader read(Bytes file, uint64_t piece) {
  HeaderReader reader(file.size());
  while (reader.state() == HeaderReader::State::WANTS_BYTES) {
    const uint64_t from = reader.position();
    FUZZ_CLAIM(from < file.size() && reader.wantedBytes() > 0);
    FUZZ_CLAIM(reader.wantedBytes() <= file.size() - from);
    const Bytes rest = file.subspan(from, std::min<uint64_t>(piece, file.size() - from));
    // A copy of its own, so that the sanitizer sees any look beyond it.
    reader.feed(std::vector<uint8_t>(rest.begin(), rest.end()));
  }
  return reader;
}

void look(const HeaderReader& reader, uint64_t fileSize) {
  const GgufHeader& header = reader.header();
  for (const MetadataEntry& entry : header.metadata) {
    FUZZ_CLAIM(entry.endOffset() <= fileSize);
    (void)unsignedValue(header, entry);
    (void)textValue(header, entry);
    forEachText(header, entry, [&](std::string_view text, uint64_t at) {
      FUZZ_CLAIM(at + 8 + text.size() <= entry.endOffset());
    });
  }
  const StoredRegions regions(header, fileSize);
  for (const TensorInfo& info : header.tensors) {
    const auto range = tensorRange(info, fileSize);
    if (range) FUZZ_CLAIM(range->end() <= fileSize && range->end() >= range->offset);
    if (!range) FUZZ_CLAIM(!range.error().message.empty());
    const uint64_t stored = regions.lengthOf(info);
    if (stored > 0) FUZZ_CLAIM(*info.offset + stored <= fileSize);
    FUZZ_CLAIM(!describeShape(info).empty());
    (void)checkFeedable(header, info);
  }
}

void writeAgain(const GgufHeader& header) {
  std::vector<MetadataField> fields;
  for (const MetadataEntry& entry : header.metadata) fields.push_back(copiedField(header, entry));
  std::vector<TensorToWrite> tensors;
  for (const TensorInfo& info : header.tensors) {
    if (!info.encoding || !info.byteLength) return;
    tensors.push_back({info.name, info.ne, *info.encoding});
  }
  const auto plan = planGguf(fields, tensors, header.alignment);
  if (!plan) return;
  HeaderReader reader(plan->totalBytes);
  reader.feed(plan->header);
  const auto again = std::move(reader).take();
  FUZZ_CLAIM(again.ok());
  FUZZ_CLAIM(again->metadata.size() >= fields.size());
  FUZZ_CLAIM(again->tensors.size() == tensors.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const MetadataField copy = copiedField(*again, again->metadata[i]);
    FUZZ_CLAIM(copy.key == fields[i].key && copy.type == fields[i].type);
    FUZZ_CLAIM(copy.value == fields[i].value);
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    FUZZ_CLAIM(again->tensors[i].ne == tensors[i].ne);
    FUZZ_CLAIM(tensorRange(again->tensors[i], plan->totalBytes).ok());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const Bytes file(data, size);
  HeaderReader whole = read(file, UINT64_MAX);
  const HeaderReader pieces = read(file, 1 + size % 61);
  FUZZ_CLAIM(whole.state() == pieces.state());
  FUZZ_CLAIM(std::ranges::equal(whole.findings(), pieces.findings(), {}, &Finding::message,
                                &Finding::message));
  FUZZ_CLAIM(whole.refusal().has_value() == pieces.refusal().has_value());
  if (whole.refusal()) FUZZ_CLAIM(!whole.refusal()->message.empty());
  look(whole, size);
  look(pieces, size);
  const auto header = std::move(whole).take();
  if (header) writeAgain(*header);
  return 0;
}
