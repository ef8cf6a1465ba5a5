#include <emscripten/bind.h>

#include "adapt.h"
#include "encoding/block_anatomy.h"

namespace packed::bindings {
namespace {

val fieldsOf(Encoding encoding) {
  val list = val::array();
  for (const BlockField& field : anatomyOf(encoding)) {
    val object = val::object();
    object.set("name", std::string(field.name));
    object.set("offset", field.offset);
    object.set("bytes", field.bytes());
    object.set("type", std::string(nameOf(field.type)));
    object.set("meaning", std::string(field.meaning));
    list.call<void>("push", object);
  }
  return list;
}

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
    object.set("quantizable", quantizable(spec.encoding));
    object.set("fields", fieldsOf(spec.encoding));
    list.call<void>("push", object);
  }
  return list;
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

val quantizeInto(const std::string& encoding, double from, double count, double inputDim,
                 double importance, double importanceCount, double to, double size) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  auto report =
      quantize(*known, heapSpan<const float>(from, count), whole(inputDim),
               heapSpan<const float>(importance, importanceCount), heapSpan<uint8_t>(to, size));
  if (!report) return failure(report.error());
  val object = val::object();
  object.set("relativeRms", report->relativeRms);
  object.set("maxAbs", report->maxAbs);
  object.set("worstRow", static_cast<double>(report->worstRow));
  object.set("worstRowRms", report->worstRowRms);
  return object;
}

}  // namespace

EMSCRIPTEN_BINDINGS(encodings) {
  emscripten::function("encodings", &encodings);
  emscripten::function("describeGgmlType", &describeGgmlType);
  emscripten::function("decodeInto", &decodeInto);
  emscripten::function("packedBytes", &packedBytes);
  emscripten::function("quantizeInto", &quantizeInto);
}

}  // namespace packed::bindings
