#include "encoding/encoding.h"

#include "base/checked.h"

namespace packed {
namespace {

constexpr EncodingSpec kEncodings[] = {
#define X(name, ggmlType, elements, bytes, group, kind) \
  {Encoding::name, #name, ggmlType, elements, bytes, group, EncodingKind::kind},
#include "encoding/encodings.inc"
#undef X
};

constexpr uint32_t kNewestGgmlType = 42;

struct ForeignType {
  uint32_t first;
  uint32_t last;
  std::string_view name;
  std::string_view why;
};

constexpr ForeignType kForeignTypes[] = {
#define X(first, last, name, why) {first, last, name, why},
#include "encoding/foreign_types.inc"
#undef X
};

const EncodingSpec* findByGgmlType(uint32_t ggmlType) {
  for (const EncodingSpec& spec : kEncodings) {
    if (spec.ggmlType == ggmlType) return &spec;
  }
  return nullptr;
}

}  // namespace

std::span<const EncodingSpec> allEncodings() { return kEncodings; }

const EncodingSpec& specOf(Encoding encoding) {
  return kEncodings[static_cast<std::size_t>(encoding)];
}

Result<Encoding> encodingByName(std::string_view name) {
  for (const EncodingSpec& spec : kEncodings) {
    if (spec.name == name) return spec.encoding;
  }
  std::string known;
  for (const EncodingSpec& spec : kEncodings) {
    known += (known.empty() ? "" : ", ");
    known += spec.name;
  }
  return refuse(ErrorCode::UNKNOWN_ENCODING, "no encoding is called \"", name,
                "\"; the names are spelled as GGUF spells them: ", known);
}

std::string describeGgmlType(uint32_t ggmlType) {
  if (const EncodingSpec* spec = findByGgmlType(ggmlType)) return std::string(spec->name);
  for (const ForeignType& foreign : kForeignTypes) {
    if (ggmlType >= foreign.first && ggmlType <= foreign.last) {
      return joined(ggmlType, " (", foreign.name, ", ", foreign.why, ")");
    }
  }
  return joined(ggmlType, " (unknown to this version, which knows 0 to ", kNewestGgmlType, ")");
}

Result<Encoding> encodingByGgmlType(uint32_t ggmlType) {
  if (const EncodingSpec* spec = findByGgmlType(ggmlType)) return spec->encoding;
  return refuse(ErrorCode::UNKNOWN_ENCODING, "ggml type ", describeGgmlType(ggmlType),
                " cannot be read: its block size is not known here");
}

Result<uint64_t> blocksPerRowOf(Encoding encoding, uint64_t inputDim) {
  const EncodingSpec& spec = specOf(encoding);
  const uint64_t remainder = inputDim % spec.elements;
  if (remainder == 0) return inputDim / spec.elements;
  return refuse(ErrorCode::NOT_BLOCK_DIVISIBLE, "row length ", inputDim, " = ",
                inputDim / spec.elements, "*", spec.elements, " + ", remainder,
                " is not a whole number of ", spec.name, " blocks of ", spec.elements,
                " values; only the row length counts, never the total")
      .wanted(joined("a multiple of ", spec.elements), joined(inputDim));
}

Result<uint64_t> packedBytesOf(Encoding encoding, uint64_t rows, uint64_t inputDim) {
  PACKED_TRY(blocksPerRow, blocksPerRowOf(encoding, inputDim));
  const auto bytes = checkedProduct(rows, blocksPerRow, specOf(encoding).bytes);
  if (bytes) return *bytes;
  return refuse(ErrorCode::SIZE_OVERFLOW, rows, " rows x ", inputDim, " values of ",
                nameOf(encoding), " need more bytes than 64 bits can count");
}

Result<uint64_t> packedBytesOf(Encoding encoding, const Layout& layout) {
  return packedBytesOf(encoding, layout.sliceCount() * layout.grid().out, layout.inputDim());
}

}  // namespace packed
