#include <emscripten/bind.h>

#include "adapt.h"

namespace packed::bindings {
namespace {

val encodings() {
  List list;
  for (const EncodingSpec& spec : allEncodings()) {
    Object object;
    object.set("name", spec.name);
    object.set("ggmlType", spec.ggmlType);
    object.set("elements", spec.elements);
    object.set("bytes", spec.bytes);
    object.set("group", spec.group);
    object.set("blocked", spec.blocked());
    object.set("quantizable", quantizable(spec.encoding));
    list.add(object);
  }
  return std::move(list);
}

val decodeInto(const std::string& encoding, double from, double size, double to, double count) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  return outcome(decode(*known, heapSpan<const uint8_t>(from, size), heapSpan<float>(to, count)));
}

val packedBytes(const std::string& encoding, double rows, double inputDim) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  return outcome(packedBytesOf(*known, whole(rows), whole(inputDim)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(encodings) {
  emscripten::function("encodings", &encodings);
  emscripten::function("describeGgmlType", &describeGgmlType);
  emscripten::function("decodeInto", &decodeInto);
  emscripten::function("packedBytes", &packedBytes);
}

}  // namespace packed::bindings
