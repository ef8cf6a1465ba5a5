// What each byte of a block is: the byte map of every encoding as a table, for whoever shows,
// checks or documents blocks. Arithmetic does not use it (block_parts.h); a test holds the two
// together.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "encoding/encoding.h"

namespace packed {

enum class FieldType : uint8_t { F16, F32, U8, I8, U16, I16, U32, E8M0, UE4M3 };

std::string_view nameOf(FieldType type);  // "f16", "u8", "e8m0"
uint32_t sizeOf(FieldType type);          // bytes of one

// Whether the field holds floats. In a block every float is a scale or a minimum.
bool isFloat(FieldType type);

struct BlockField {
  Encoding encoding;
  std::string_view name;  // as ggml's struct calls it: "d", "qs"
  uint32_t offset;        // in the block
  uint32_t count;         // of `type`
  FieldType type;
  std::string_view meaning;

  uint32_t bytes() const { return count * sizeOf(type); }
};

// The fields of one block in the order of its bytes, without gaps; empty for PLAIN encodings.
std::span<const BlockField> anatomyOf(Encoding encoding);

// The field that byte `at` of a block belongs to; null for PLAIN encodings and beyond the block.
const BlockField* fieldAt(Encoding encoding, uint32_t at);

}  // namespace packed
