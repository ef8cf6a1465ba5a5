// Encoding: what the blocks of a weight are written in. EncodingSpec: the sizes that placing a
// block needs; what its bytes mean is in codec.h.
//
// A row of `inputDim` values is inputDim / elements whole blocks. Only the row length must divide,
// never the total: a [16, 64] Q4_0 weight is malformed although 1024 values are 32 blocks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "layout/layout.h"

namespace packed {

enum class Encoding : uint8_t {
#define X(name, ggmlType, elements, bytes, group, kind) name,
#include "encoding/encodings.inc"
#undef X
};

enum class EncodingKind : uint8_t { PLAIN, BLOCKED };

struct EncodingSpec {
  Encoding encoding;
  std::string_view name;  // as the format spells it: "Q4_K"
  uint32_t ggmlType;      // the number in a GGUF tensor info
  uint32_t elements;      // values per block
  uint32_t bytes;         // bytes per block
  uint32_t group;         // values that share the innermost scale
  EncodingKind kind;

  bool blocked() const { return kind == EncodingKind::BLOCKED; }
};

// In the order of encodings.inc.
std::span<const EncodingSpec> allEncodings();

const EncodingSpec& specOf(Encoding encoding);
inline std::string_view nameOf(Encoding encoding) { return specOf(encoding).name; }

// UNKNOWN_ENCODING when there is none; the message lists what is known, or says what a removed or
// foreign type number is (foreign_types.inc).
Result<Encoding> encodingByName(std::string_view name);
Result<Encoding> encodingByGgmlType(uint32_t ggmlType);

// "Q4_K", or for a number this library does not read what it stands for:
// "31 (Q4_0_4_4, removed from ggml ...)", "47 (unknown to this version, which knows 0 to 42)".
std::string describeGgmlType(uint32_t ggmlType);

// Whole blocks in a row. NOT_BLOCK_DIVISIBLE names the row length, the block size and the
// remainder.
Result<uint64_t> blocksPerRowOf(Encoding encoding, uint64_t inputDim);

// Bytes of rows x inputDim values, or of all blocks of a layout; SIZE_OVERFLOW or
// NOT_BLOCK_DIVISIBLE.
Result<uint64_t> packedBytesOf(Encoding encoding, uint64_t rows, uint64_t inputDim);
Result<uint64_t> packedBytesOf(Encoding encoding, const Layout& layout);

}  // namespace packed
