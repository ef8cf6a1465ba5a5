#include "gguf/reader.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "base/checked.h"
#include "gguf/foreign_file.h"
#include "gguf/limits.h"
#include "gguf/metadata_value.h"
#include "gguf/tensor_range.h"
#include "gguf/utf8.h"

namespace packed {
namespace {

constexpr uint64_t kFirstRead = 64 << 10;
constexpr uint64_t kLargestRead = 8 << 20;
// Positions of all but the first of equal names. Sorting, not hashing: names come from the file.
template <class Named>
std::vector<std::pair<std::size_t, std::size_t>> duplicates(const std::vector<Named>& all,
                                                            std::string Named::* name) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) -> const std::string& { return all[i].*name; });
  std::vector<std::pair<std::size_t, std::size_t>> found;  // (first, repeated)
  std::size_t first = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (all[order[i]].*name != all[order[first]].*name) {
      first = i;
    } else {
      found.emplace_back(order[first], order[i]);
    }
  }
  std::ranges::sort(found, {}, &std::pair<std::size_t, std::size_t>::second);
  return found;
}

}  // namespace

HeaderReader::HeaderReader(uint64_t totalSize) : totalSize_(totalSize) { parse(); }

HeaderReader::State HeaderReader::feed(Bytes piece) {
  if (state_ != State::WANTS_BYTES || piece.empty()) return state_;
  const MutableBytes room = space(piece.size());
  std::memcpy(room.data(), piece.data(), room.size());
  return commit(room.size());
}

MutableBytes HeaderReader::space(uint64_t size) {
  const uint64_t room = std::min(size, totalSize_ - filled_);
  header_.bytes.resize(static_cast<std::size_t>(filled_ + room));
  return MutableBytes(header_.bytes).subspan(static_cast<std::size_t>(filled_));
}

HeaderReader::State HeaderReader::commit(uint64_t size) {
  if (state_ != State::WANTS_BYTES) return state_;
  filled_ = std::min<uint64_t>(filled_ + size, header_.bytes.size());
  if (filled_ >= required_) parse();
  return state_;
}

uint64_t HeaderReader::wantedBytes() const {
  if (state_ != State::WANTS_BYTES) return 0;
  const uint64_t grown = std::clamp(filled_, kFirstRead, kLargestRead);
  const uint64_t least = required_ > filled_ ? required_ - filled_ : 0;
  return std::min(std::max(grown, least), totalSize_ - filled_);
}

std::optional<Error> HeaderReader::refusal() const {
  for (const Finding& finding : findings_) {
    if (specOf(finding.rule).reader != ReaderPolicy::READS) return toError(finding);
  }
  return std::nullopt;
}

Result<GgufHeader> HeaderReader::take() && {
  if (const auto error = refusal()) return *error;
  if (state_ == State::WANTS_BYTES) {
    return refuse(ErrorCode::TRUNCATED, "the header is not complete: only ", filled_,
                  " bytes have been read, and at least ", required_, " are needed")
        .at(filled_);
  }
  return std::move(header_);
}

void HeaderReader::parse() {
  Step step = Step::ADVANCED;
  while (step == Step::ADVANCED && section_ != Section::END) step = parseStep();
  if (step == Step::STARVED) return;
  header_.bytes.resize(static_cast<std::size_t>(filled_));
  state_ = step == Step::STOPPED ? State::STOPPED : State::DONE;
  if (state_ == State::DONE) finish();
}

HeaderReader::Step HeaderReader::parseStep() {
  switch (section_) {
    case Section::START:
      return parseStart();
    case Section::METADATA:
      if (header_.metadata.size() < header_.declaredMetadata) return parseMetadataEntry();
      section_ = Section::TENSORS;
      return Step::ADVANCED;
    case Section::ARRAY:
      return parseArray();
    case Section::TENSORS:
      if (header_.tensors.size() < header_.declaredTensors) return parseTensorInfo();
      section_ = Section::END;
      return Step::ADVANCED;
    case Section::END:
      break;
  }
  return Step::ADVANCED;
}

// --- Once the last tensor info has been read

void HeaderReader::finish() {
  header_.endOffset = parsed_;
  finishAlignment();
  finishTensors();
  reportDuplicates();
}

void HeaderReader::finishAlignment() {
  if (const MetadataEntry* entry = header_.findMetadata("general.alignment")) {
    const std::optional<uint64_t> value = unsignedValue(header_, *entry);
    if (entry->type != MetadataType::UINT32) {
      report(finding(Rule::ALIGNMENT_TYPE, "general.alignment has the type ", nameOf(entry->type),
                     " and must be a u32: readers disagree about where the tensors are; write the "
                     "file again")
                 .at(entry->typeOffset(), 4)
                 .wanted("u32", nameOf(entry->type)));
    }
    if (value && *value == 0) {
      report(finding(Rule::ALIGNMENT_ZERO,
                     "general.alignment is 0; it must be a multiple of 8, as a rule 32")
                 .at(entry->valueOffset(), entry->byteLength)
                 .wanted("a multiple of 8", "0"));
    } else if (value) {
      header_.alignment = *value;
    }
  }
  header_.dataStart = checkedAlignUp(parsed_, header_.alignment).value_or(UINT64_MAX);
}

void HeaderReader::finishTensors() {
  for (TensorInfo& info : header_.tensors) {
    if (const auto encoding = encodingByGgmlType(info.ggmlType)) info.encoding = *encoding;
    info.offset = checkedAdd(header_.dataStart, info.relativeOffset);
    if (const auto bytes = byteLengthOf(info)) info.byteLength = *bytes;
  }
}

void HeaderReader::reportDuplicates() {
  for (const auto& [first, again] : duplicates(header_.metadata, &MetadataEntry::key)) {
    const MetadataEntry& entry = header_.metadata[again];
    report(finding(Rule::KEY_DUPLICATE, "metadata key ", quoted(entry.key),
                   " stands twice, first at byte ", header_.metadata[first].offset,
                   ": which value holds cannot be told; write the file again")
               .at(entry.offset, entry.typeOffset() - entry.offset));
  }
  for (const auto& [first, again] : duplicates(header_.tensors, &TensorInfo::name)) {
    const TensorInfo& info = header_.tensors[again];
    report(finding(Rule::TENSOR_NAME_DUPLICATE, "two tensors are called ", quoted(info.name),
                   ", the first described at byte ", header_.tensors[first].infoOffset,
                   ": which one is meant cannot be told; write the file again")
               .at(info.infoOffset, info.dimensionCountOffset() - info.infoOffset)
               .in(info.name));
  }
}

}  // namespace packed
