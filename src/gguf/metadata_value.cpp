#include "gguf/metadata_value.h"

namespace packed {
namespace {

template <class T>
std::optional<uint64_t> whole(const GgufHeader& header, const MetadataEntry& entry) {
  const T value = loadField<T>(header.bytes.data() + entry.valueOffset(), header.littleEndian);
  if (value < T{0}) return std::nullopt;
  return static_cast<uint64_t>(value);
}

}  // namespace

std::optional<uint64_t> unsignedValue(const GgufHeader& header, const MetadataEntry& entry) {
  switch (entry.type) {
    case MetadataType::UINT8:
      return whole<uint8_t>(header, entry);
    case MetadataType::INT8:
      return whole<int8_t>(header, entry);
    case MetadataType::UINT16:
      return whole<uint16_t>(header, entry);
    case MetadataType::INT16:
      return whole<int16_t>(header, entry);
    case MetadataType::UINT32:
      return whole<uint32_t>(header, entry);
    case MetadataType::INT32:
      return whole<int32_t>(header, entry);
    case MetadataType::UINT64:
      return whole<uint64_t>(header, entry);
    case MetadataType::INT64:
      return whole<int64_t>(header, entry);
    default:
      return std::nullopt;
  }
}

std::optional<uint64_t> unsignedValue(const GgufHeader& header, std::string_view key) {
  const MetadataEntry* entry = header.findMetadata(key);
  return entry ? unsignedValue(header, *entry) : std::nullopt;
}

std::optional<std::string_view> textValue(const GgufHeader& header, const MetadataEntry& entry) {
  if (entry.type != MetadataType::STRING) return std::nullopt;
  const auto* start = reinterpret_cast<const char*>(header.bytes.data() + entry.valueOffset());
  return std::string_view(start, static_cast<std::size_t>(entry.byteLength));
}

std::optional<std::string_view> textValue(const GgufHeader& header, std::string_view key) {
  const MetadataEntry* entry = header.findMetadata(key);
  return entry ? textValue(header, *entry) : std::nullopt;
}

}  // namespace packed
