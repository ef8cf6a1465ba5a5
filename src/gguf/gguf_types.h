// What a GGUF header says, as values. GGUF v2 and v3:
//
//   1. u8[4] "GGUF", u32 version, u64 tensor count, u64 metadata count
//   2. metadata: string key, u32 type, value          (string = u64 length, bytes)
//   3. tensor infos: string name, u32 n_dims, u64 ne[n_dims], u32 ggml type, u64 offset
//   4. zeros up to a multiple of the alignment: dataStart
//   5. tensor i at dataStart + offset_i
//
// Metadata values are not decoded here: an entry says where its bytes are (GgufHeader::bytes), and
// metadata_value.h decodes the ones that somebody asks for. A vocabulary of 150,000 strings thus
// costs one entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "encoding/encoding.h"

namespace packed {

inline constexpr uint32_t kDefaultAlignment = 32;

// The value types, numbered as in the file.
enum class MetadataType : uint32_t {
  UINT8 = 0,
  INT8 = 1,
  UINT16 = 2,
  INT16 = 3,
  UINT32 = 4,
  INT32 = 5,
  FLOAT32 = 6,
  BOOL = 7,
  STRING = 8,
  ARRAY = 9,
  UINT64 = 10,
  INT64 = 11,
  FLOAT64 = 12,
};
inline constexpr uint32_t kMetadataTypes = 13;

// "u8", "string", "array"...; "type 77" for a number that is none.
std::string nameOf(MetadataType type);

// Bytes of one value of a fixed size; 0 for strings, arrays and unknown types.
uint64_t sizeOf(MetadataType type);

struct MetadataEntry {
  std::string key;
  MetadataType type = MetadataType::UINT8;
  MetadataType elementType = MetadataType::UINT8;  // of an array; else the same as `type`
  uint64_t count = 1;       // elements of an array, bytes of a string, else 1
  uint64_t offset = 0;      // where the entry starts: the length of its key
  uint64_t byteLength = 0;  // of the value, from valueOffset()

  uint64_t typeOffset() const { return offset + 8 + key.size(); }
  // The first byte of a number, of a string's characters, or of an array's first element.
  uint64_t valueOffset() const {
    const uint64_t head = type == MetadataType::STRING ? 8 : type == MetadataType::ARRAY ? 12 : 0;
    return typeOffset() + 4 + head;
  }
  uint64_t endOffset() const { return valueOffset() + byteLength; }
};

struct TensorInfo {
  std::string name;
  std::vector<uint64_t> ne;  // fastest-varying first: ne[0] values are contiguous
  uint32_t ggmlType = 0;
  std::optional<Encoding> encoding;    // nothing when this library does not read the type
  uint64_t relativeOffset = 0;         // as stored, from dataStart
  std::optional<uint64_t> offset;      // absolute; nothing when the sum does not fit 64 bits
  std::optional<uint64_t> byteLength;  // nothing when it cannot be known: byteLengthOf says why
  uint64_t infoOffset = 0;             // where this description starts: the length of the name

  uint64_t nameOffset() const { return infoOffset + 8; }
  uint64_t dimensionCountOffset() const { return nameOffset() + name.size(); }
  uint64_t dimensionOffset(std::size_t i) const { return dimensionCountOffset() + 4 + 8 * i; }
  uint64_t typeOffset() const { return dimensionOffset(ne.size()); }
  uint64_t offsetOffset() const { return typeOffset() + 4; }

  // The label [in, out, ...]: a tensor of no dimensions is one value.
  uint64_t inputDim() const { return ne.empty() ? 1 : ne[0]; }
};

struct GgufHeader {
  uint32_t version = 0;
  bool littleEndian = true;
  uint64_t declaredTensors = 0;
  uint64_t declaredMetadata = 0;
  uint64_t alignment = kDefaultAlignment;
  std::vector<MetadataEntry> metadata;
  std::vector<TensorInfo> tensors;
  uint64_t endOffset = 0;      // one past the last tensor info
  uint64_t dataStart = 0;      // endOffset rounded up to the alignment
  std::vector<uint8_t> bytes;  // the file from byte 0; at least endOffset of them once it is read

  const MetadataEntry* findMetadata(std::string_view key) const;
  const TensorInfo* findTensor(std::string_view name) const;
};

}  // namespace packed
