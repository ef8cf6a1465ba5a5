#include <emscripten/bind.h>

#include "adapt.h"
#include "encoding/block_anatomy.h"
#include "encoding/block_bits.h"

namespace packed::bindings {
namespace {

// Empty where a block is one plain value.
val fieldsOf(const std::string& encoding) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  List list;
  for (const BlockField& field : anatomyOf(*known)) {
    Object object;
    object.set("name", field.name);
    object.set("offset", field.offset);
    object.set("bytes", field.bytes());
    object.set("type", nameOf(field.type));
    object.set("meaning", field.meaning);
    list.add(object);
  }
  return std::move(list);
}

// The meaning of every bit, bit 0 of byte 0 first.
val bitsOf(const std::string& encoding) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  List list;
  for (uint32_t bit = 0; bit < 8 * specOf(*known).bytes; ++bit) {
    const auto meaning = bitAt(*known, bit);
    if (!meaning) break;
    Object object;
    object.set("field", meaning->field);
    object.set("role", nameOf(meaning->role));
    object.set("significance", meaning->significance);
    object.set("first", meaning->first);
    object.set("span", meaning->span);
    object.set("stride", meaning->stride);
    list.add(object);
  }
  return std::move(list);
}

}  // namespace

EMSCRIPTEN_BINDINGS(blocks) {
  emscripten::function("fieldsOf", &fieldsOf);
  emscripten::function("bitsOf", &bitsOf);
}

}  // namespace packed::bindings
