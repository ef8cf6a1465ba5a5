// Decodes single metadata values out of the header's bytes, when somebody asks for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gguf/byte_order.h"
#include "gguf/gguf_types.h"

namespace packed {

// A whole number of any width that is not negative; nothing for other types and negative values. Its
// bytes stand at `at`.
inline std::optional<uint64_t> unsignedValue(MetadataType type, const uint8_t* at,
                                             bool littleEndian);
std::optional<uint64_t> unsignedValue(const GgufHeader& header, const MetadataEntry& entry);
std::optional<uint64_t> unsignedValue(const GgufHeader& header, std::string_view key);

// The characters of a string, which may not be UTF-8; nothing for other types.
std::optional<std::string_view> textValue(const GgufHeader& header, const MetadataEntry& entry);
std::optional<std::string_view> textValue(const GgufHeader& header, std::string_view key);

// Calls visit(text, offset of its length) for each string of an array of strings; for an array of
// another type, never.
template <class Visit>
void forEachText(const GgufHeader& header, const MetadataEntry& entry, Visit visit);

inline std::optional<uint64_t> unsignedValue(MetadataType type, const uint8_t* at,
                                             bool littleEndian) {
  const auto whole = [&]<class T>(T) -> std::optional<uint64_t> {
    const T value = loadField<T>(at, littleEndian);
    if (value < T{0}) return std::nullopt;
    return static_cast<uint64_t>(value);
  };
  switch (type) {
    case MetadataType::UINT8:
      return whole(uint8_t{});
    case MetadataType::INT8:
      return whole(int8_t{});
    case MetadataType::UINT16:
      return whole(uint16_t{});
    case MetadataType::INT16:
      return whole(int16_t{});
    case MetadataType::UINT32:
      return whole(uint32_t{});
    case MetadataType::INT32:
      return whole(int32_t{});
    case MetadataType::UINT64:
      return whole(uint64_t{});
    case MetadataType::INT64:
      return whole(int64_t{});
    default:
      return std::nullopt;
  }
}

template <class Visit>
void forEachText(const GgufHeader& header, const MetadataEntry& entry, Visit visit) {
  if (entry.type != MetadataType::ARRAY || entry.elementType != MetadataType::STRING) return;
  uint64_t at = entry.valueOffset();
  for (uint64_t i = 0; i < entry.count; ++i) {
    const auto length = loadField<uint64_t>(header.bytes.data() + at, header.littleEndian);
    const auto* start = reinterpret_cast<const char*>(header.bytes.data() + at + 8);
    visit(std::string_view(start, static_cast<std::size_t>(length)), at);
    at += 8 + length;
  }
}

}  // namespace packed
