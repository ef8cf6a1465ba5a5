#include "gguf/writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/checked.h"
#include "gguf/limits.h"
#include "gguf/metadata_value.h"
#include "gguf/tensor_range.h"
#include "gguf/utf8.h"

namespace packed {
namespace {

class HeaderBytes {
 public:
  template <class T>
  void number(T value) {
    bytes_.resize(bytes_.size() + sizeof(T));
    storeLE(bytes_.data() + bytes_.size() - sizeof(T), value);
  }
  void text(std::string_view text) {
    number(static_cast<uint64_t>(text.size()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  void raw(Bytes raw) { bytes_.insert(bytes_.end(), raw.begin(), raw.end()); }
  uint64_t size() const { return bytes_.size(); }
  std::vector<uint8_t> takePadded(uint64_t size) {
    bytes_.resize(static_cast<std::size_t>(size));
    return std::move(bytes_);
  }

 private:
  std::vector<uint8_t> bytes_;
};

template <class Named>
Status checkNames(std::span<const Named> all, std::string Named::* name, const char* what,
                  uint64_t longest) {
  std::vector<std::string_view> names;
  for (const Named& one : all) {
    const std::string& text = one.*name;
    if (text.empty() || text.size() > longest || !isNameText(text)) {
      return refuse(ErrorCode::INVALID_ARGUMENT, what, " ", quoted(text), " of ", text.size(),
                    " bytes: it needs 1 to ", longest,
                    " bytes of UTF-8 without control characters");
    }
    names.push_back(text);
  }
  // In less code than std::sort.
  std::ranges::make_heap(names);
  std::ranges::sort_heap(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return Done{};
  return refuse(ErrorCode::INVALID_ARGUMENT, what, " ", quoted(*twice), " is given twice");
}

const MetadataField* find(std::span<const MetadataField> metadata, std::string_view key) {
  const auto found = std::ranges::find(metadata, key, &MetadataField::key);
  return found == metadata.end() ? nullptr : &*found;
}

// 0 where it is missing, or no such number.
uint64_t wholeOf(std::span<const MetadataField> metadata, std::string_view key) {
  const MetadataField* field = find(metadata, key);
  if (!field) return 0;
  uint8_t bytes[8] = {};
  std::copy_n(field->value.begin(), std::min(field->value.size(), sizeof bytes), bytes);
  return unsignedValue(field->type, bytes, true).value_or(0);
}

bool isLaterShard(std::span<const MetadataField> metadata) {
  return wholeOf(metadata, "split.no") > 0 && wholeOf(metadata, "split.count") > 1;
}

Status checkAlignment(std::span<const MetadataField> metadata, uint64_t alignment) {
  if (alignment == 0 || alignment % 8 != 0 || alignment > UINT32_MAX) {
    return refuse(ErrorCode::INVALID_ARGUMENT, "alignment ", alignment,
                  " is not a multiple of 8 that fits 32 bits; as a rule it is 32")
        .wanted("a multiple of 8", joined(alignment));
  }
  if (alignment > kMaxWrittenAlignment) {
    return refuse(ErrorCode::LIMIT_EXCEEDED, "alignment ", alignment, " is beyond ",
                  kMaxWrittenAlignment, ", the largest that is written");
  }
  const MetadataField* field = find(metadata, "general.alignment");
  if (!field) return Done{};
  if (field->type == MetadataType::UINT32 && field->value.size() == 4 &&
      loadLE<uint32_t>(field->value.data()) == alignment) {
    return Done{};
  }
  return refuse(ErrorCode::INVALID_ARGUMENT, "the metadata has a general.alignment other than u32 ",
                alignment, ", the alignment asked for: leave the key out");
}

Status checkShape(const TensorToWrite& tensor) {
  if (!tensor.ne.empty() && tensor.ne.size() <= kMaxDimensions &&
      std::ranges::find(tensor.ne, uint64_t{0}) == tensor.ne.end()) {
    return Done{};
  }
  return refuse(ErrorCode::INVALID_ARGUMENT, "tensor ", quoted(tensor.name), " has ",
                tensor.ne.size(), " dimensions; it needs 1 to ", kMaxDimensions,
                ", and none of them zero")
      .in(tensor.name);
}

// Sizes and offsets in order; the offsets are still relative to where the data starts.
Result<GgufPlan> place(std::span<const TensorToWrite> tensors, uint64_t alignment) {
  GgufPlan plan;
  plan.alignment = alignment;
  for (const TensorToWrite& tensor : tensors) {
    PACKED_CHECK(checkShape(tensor));
    TensorInfo info;
    info.name = tensor.name;
    info.ne = tensor.ne;
    info.ggmlType = specOf(tensor.encoding).ggmlType;
    auto bytes = byteLengthOf(info);
    if (!bytes) {
      Error error = std::move(bytes).error();
      error.offset.reset();  // there is no file yet
      return error;
    }
    const auto padded = checkedAlignUp(*bytes, alignment);
    const auto end = padded ? checkedAdd(plan.totalBytes, *padded) : std::nullopt;
    if (!end || *end > kMaxTensorBytes) {
      return refuse(ErrorCode::SIZE_OVERFLOW, "the tensors up to ", quoted(tensor.name),
                    " need more bytes than 63 bits can count")
          .in(tensor.name);
    }
    plan.tensors.push_back({tensor.name, plan.totalBytes, *bytes, *padded - *bytes});
    plan.totalBytes = *end;
  }
  return plan;
}

}  // namespace

Result<GgufPlan> planGguf(std::span<const MetadataField> metadata,
                          std::span<const TensorToWrite> tensors, uint64_t alignment) {
  PACKED_CHECK(checkNames(metadata, &MetadataField::key, "metadata key", kMaxKeyBytes));
  PACKED_CHECK(checkNames(tensors, &TensorToWrite::name, "tensor name", kMaxTensorNameBytes - 1));
  PACKED_CHECK(checkAlignment(metadata, alignment));
  if (tensors.size() > kMaxTensors || metadata.size() + 2 > kMaxMetadataEntries) {
    return refuse(ErrorCode::LIMIT_EXCEEDED, tensors.size(), " tensors and ", metadata.size(),
                  " metadata entries; at most ", kMaxTensors, " and ", kMaxMetadataEntries - 2,
                  " are written");
  }
  PACKED_TRY(plan, place(tensors, alignment));

  std::vector<MetadataField> added;
  if (alignment != kDefaultAlignment && !find(metadata, "general.alignment")) {
    added.push_back(numberField("general.alignment", static_cast<uint32_t>(alignment)));
  }
  const bool quantized = std::ranges::any_of(
      tensors, [](const TensorToWrite& tensor) { return specOf(tensor.encoding).blocked(); });
  if (quantized && !isLaterShard(metadata) && !find(metadata, "general.quantization_version")) {
    added.push_back(numberField("general.quantization_version", kQuantizationVersion));
    plan.addedQuantizationVersion = kQuantizationVersion;
  }

  HeaderBytes header;
  header.number(std::array<char, 4>{'G', 'G', 'U', 'F'});
  header.number(uint32_t{3});
  header.number(static_cast<uint64_t>(tensors.size()));
  header.number(static_cast<uint64_t>(metadata.size() + added.size()));
  for (const std::span<const MetadataField> fields :
       {metadata, std::span<const MetadataField>(added)}) {
    for (const MetadataField& field : fields) {
      header.text(field.key);
      header.number(static_cast<uint32_t>(field.type));
      header.raw(field.value);
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    header.text(tensors[i].name);
    header.number(static_cast<uint32_t>(tensors[i].ne.size()));
    for (const uint64_t dimension : tensors[i].ne) header.number(dimension);
    header.number(specOf(tensors[i].encoding).ggmlType);
    header.number(plan.tensors[i].offset);
  }
  const auto padded = checkedAlignUp(header.size(), alignment);
  if (!padded || *padded > kMaxHeaderBytes) {
    return refuse(ErrorCode::LIMIT_EXCEEDED, "a header of ", header.size(),
                  " bytes with alignment ", alignment, " is beyond the ", kMaxHeaderBytes,
                  " bytes that can be read again");
  }
  plan.header = header.takePadded(*padded);
  for (PlannedTensor& tensor : plan.tensors) tensor.offset += plan.header.size();
  plan.totalBytes += plan.header.size();
  return plan;
}

}  // namespace packed
