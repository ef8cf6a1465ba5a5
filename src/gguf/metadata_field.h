// MetadataField: one metadata entry to write. Its value is kept as the bytes that will stand in the
// file, so that an entry of another file passes through unchanged, whatever it holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bits.h"
#include "base/result.h"
#include "gguf/gguf_types.h"

namespace packed {

struct MetadataField {
  std::string key;
  MetadataType type = MetadataType::UINT8;
  std::vector<uint8_t> value;  // as in a little-endian file, after the value type
};

// numberField("llama.block_count", MetadataType::UINT32, uint32_t{32}); the C++ type is the type of
// the field, and a bool is a bool.
template <class Number>
MetadataField numberField(std::string key, Number number);

MetadataField textField(std::string key, std::string_view text);

// An array of numbers of a fixed size: `elements` are their bytes. INVALID_ARGUMENT when they are
// not a whole number of elements, or the type has no fixed size.
Result<MetadataField> arrayField(std::string key, MetadataType elementType, Bytes elements);

MetadataField textArrayField(std::string key, std::span<const std::string> texts);

// An entry that was read, to be written again. Any byte order in, little-endian out.
MetadataField copiedField(const GgufHeader& header, const MetadataEntry& entry);

namespace detail {
template <class T>
constexpr MetadataType metadataTypeOf();
}

template <class Number>
MetadataField numberField(std::string key, Number number) {
  MetadataField field{std::move(key), detail::metadataTypeOf<Number>(), {}};
  field.value.resize(sizeof(Number));
  storeLE(field.value.data(), number);
  return field;
}

template <class T>
constexpr MetadataType detail::metadataTypeOf() {
  if constexpr (std::is_same_v<T, bool>) return MetadataType::BOOL;
  if constexpr (std::is_same_v<T, uint8_t>) return MetadataType::UINT8;
  if constexpr (std::is_same_v<T, int8_t>) return MetadataType::INT8;
  if constexpr (std::is_same_v<T, uint16_t>) return MetadataType::UINT16;
  if constexpr (std::is_same_v<T, int16_t>) return MetadataType::INT16;
  if constexpr (std::is_same_v<T, uint32_t>) return MetadataType::UINT32;
  if constexpr (std::is_same_v<T, int32_t>) return MetadataType::INT32;
  if constexpr (std::is_same_v<T, uint64_t>) return MetadataType::UINT64;
  if constexpr (std::is_same_v<T, int64_t>) return MetadataType::INT64;
  if constexpr (std::is_same_v<T, float>) return MetadataType::FLOAT32;
  if constexpr (std::is_same_v<T, double>) return MetadataType::FLOAT64;
}

}  // namespace packed
