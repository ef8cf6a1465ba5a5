#include "gguf/metadata_field.h"

#include <algorithm>

#include "gguf/byte_order.h"

namespace packed {
namespace {

template <class T>
void append(std::vector<uint8_t>& to, T value) {
  to.resize(to.size() + sizeof(T));
  storeLE(to.data() + to.size() - sizeof(T), value);
}

void appendText(std::vector<uint8_t>& to, std::string_view text) {
  append(to, static_cast<uint64_t>(text.size()));
  to.insert(to.end(), text.begin(), text.end());
}

MetadataField arrayOf(std::string key, MetadataType elementType, uint64_t count) {
  MetadataField field{std::move(key), MetadataType::ARRAY, {}};
  append(field.value, static_cast<uint32_t>(elementType));
  append(field.value, count);
  return field;
}

// Reverses the bytes of each number inside a value that stands at `at`; returns where it ends. The
// reader has checked every length, and that arrays do not nest deeply.
uint64_t swapValue(std::vector<uint8_t>& value, uint64_t at, MetadataType type) {
  const auto swap = [&](uint64_t size) {
    std::reverse(value.begin() + static_cast<std::ptrdiff_t>(at),
                 value.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
  };
  if (type == MetadataType::STRING) {
    swap(8);
    return at + loadLE<uint64_t>(value.data() + at - 8);
  }
  if (type == MetadataType::ARRAY) {
    swap(4);
    swap(8);
    const auto elementType = static_cast<MetadataType>(loadLE<uint32_t>(value.data() + at - 12));
    const auto count = loadLE<uint64_t>(value.data() + at - 8);
    for (uint64_t i = 0; i < count; ++i) at = swapValue(value, at, elementType);
    return at;
  }
  swap(sizeOf(type));
  return at;
}

}  // namespace

MetadataField textField(std::string key, std::string_view text) {
  MetadataField field{std::move(key), MetadataType::STRING, {}};
  appendText(field.value, text);
  return field;
}

Result<MetadataField> arrayField(std::string key, MetadataType elementType, Bytes elements) {
  const uint64_t size = sizeOf(elementType);
  if (size == 0 || elements.size() % size != 0) {
    return refuse(ErrorCode::INVALID_ARGUMENT, "metadata key \"", key, "\": ", elements.size(),
                  " bytes are not an array of ", nameOf(elementType));
  }
  MetadataField field = arrayOf(std::move(key), elementType, elements.size() / size);
  field.value.insert(field.value.end(), elements.begin(), elements.end());
  return field;
}

MetadataField textArrayField(std::string key, std::span<const std::string> texts) {
  MetadataField field = arrayOf(std::move(key), MetadataType::STRING, texts.size());
  for (const std::string& text : texts) appendText(field.value, text);
  return field;
}

MetadataField copiedField(const GgufHeader& header, const MetadataEntry& entry) {
  MetadataField field{entry.key, entry.type, {}};
  const auto from = header.bytes.begin() + static_cast<std::ptrdiff_t>(entry.typeOffset() + 4);
  const auto to = header.bytes.begin() + static_cast<std::ptrdiff_t>(entry.endOffset());
  field.value.assign(from, to);
  if (!header.littleEndian) swapValue(field.value, 0, field.type);
  return field;
}

}  // namespace packed
