#include <emscripten/bind.h>

#include "adapt.h"

namespace packed::bindings {
namespace {

val encodings() {
  val list = val::array();
  for (const EncodingSpec& spec : allEncodings()) {
    val object = val::object();
    object.set("name", std::string(spec.name));
    object.set("ggmlType", spec.ggmlType);
    object.set("elements", spec.elements);
    object.set("bytes", spec.bytes);
    object.set("group", spec.group);
    object.set("blocked", spec.blocked());
    list.call<void>("push", object);
  }
  return list;
}

val decodeInto(const std::string& encoding, double from, double size, double to, double count) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  return outcome(decode(*known, heapSpan<const uint8_t>(from, size), heapSpan<float>(to, count)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(encodings) {
  emscripten::function("encodings", &encodings);
  emscripten::function("describeGgmlType", &describeGgmlType);
  emscripten::function("decodeInto", &decodeInto);
}

}  // namespace packed::bindings
