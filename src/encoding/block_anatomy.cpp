#include "encoding/block_anatomy.h"

#include <array>

namespace packed {
namespace {

constexpr BlockField kFields[] = {
#define X(encoding, field, offset, count, type, meaning) \
  {Encoding::encoding, #field, offset, count, FieldType::type, meaning},
#include "encoding/block_anatomy.inc"
#undef X
};

struct TypeSpec {
  std::string_view name;
  uint32_t size;
  bool isFloat;
};

// In the order of FieldType.
constexpr std::array<TypeSpec, 9> kTypes = {{{"f16", 2, true},
                                             {"f32", 4, true},
                                             {"u8", 1, false},
                                             {"i8", 1, false},
                                             {"u16", 2, false},
                                             {"i16", 2, false},
                                             {"u32", 4, false},
                                             {"e8m0", 1, true},
                                             {"ue4m3", 1, true}}};

constexpr const TypeSpec& specOf(FieldType type) { return kTypes[static_cast<std::size_t>(type)]; }

constexpr uint32_t bytesNamed(Encoding encoding) {
  uint32_t bytes = 0;
  for (const BlockField& field : kFields) {
    if (field.encoding == encoding) bytes += field.count * specOf(field.type).size;
  }
  return bytes;
}

#define PLAIN(name, bytes)
#define BLOCKED(name, bytes) \
  static_assert(bytesNamed(Encoding::name) == bytes, #name " lacks bytes in block_anatomy.inc");
#define X(name, ggmlType, elements, bytes, group, kind) kind(name, bytes)
#include "encoding/encodings.inc"
#undef X
#undef BLOCKED
#undef PLAIN

}  // namespace

std::string_view nameOf(FieldType type) { return specOf(type).name; }
uint32_t sizeOf(FieldType type) { return specOf(type).size; }
bool isFloat(FieldType type) { return specOf(type).isFloat; }

std::span<const BlockField> anatomyOf(Encoding encoding) {
  const BlockField* const end = kFields + std::size(kFields);
  const BlockField* first = kFields;
  while (first != end && first->encoding != encoding) ++first;
  const BlockField* last = first;
  while (last != end && last->encoding == encoding) ++last;
  return {first, last};
}

const BlockField* fieldAt(Encoding encoding, uint32_t at) {
  for (const BlockField& field : anatomyOf(encoding)) {
    if (at >= field.offset && at < field.offset + field.bytes()) return &field;
  }
  return nullptr;
}

}  // namespace packed
