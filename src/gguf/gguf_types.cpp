#include "gguf/gguf_types.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace packed {
namespace {

struct TypeSpec {
  std::string_view name;
  uint64_t size;
};

constexpr std::array<TypeSpec, kMetadataTypes> kTypes = {{
    {"u8", 1},
    {"i8", 1},
    {"u16", 2},
    {"i16", 2},
    {"u32", 4},
    {"i32", 4},
    {"f32", 4},
    {"bool", 1},
    {"string", 0},
    {"array", 0},
    {"u64", 8},
    {"i64", 8},
    {"f64", 8},
}};

const TypeSpec* find(MetadataType type) {
  const auto i = static_cast<uint32_t>(type);
  return i < kTypes.size() ? &kTypes[i] : nullptr;
}

}  // namespace

std::string nameOf(MetadataType type) {
  const TypeSpec* spec = find(type);
  return spec ? std::string(spec->name) : joined("type ", static_cast<uint32_t>(type));
}

uint64_t sizeOf(MetadataType type) {
  const TypeSpec* spec = find(type);
  return spec ? spec->size : 0;
}

const MetadataEntry* GgufHeader::findMetadata(std::string_view key) const {
  const auto found = std::ranges::find(metadata, key, &MetadataEntry::key);
  return found == metadata.end() ? nullptr : &*found;
}

const TensorInfo* GgufHeader::findTensor(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &TensorInfo::name);
  return found == tensors.end() ? nullptr : &*found;
}

}  // namespace packed
