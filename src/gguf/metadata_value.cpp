#include "gguf/metadata_value.h"

namespace packed {
std::optional<uint64_t> unsignedValue(const GgufHeader& header, const MetadataEntry& entry) {
  return unsignedValue(entry.type, header.bytes.data() + entry.valueOffset(), header.littleEndian);
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
