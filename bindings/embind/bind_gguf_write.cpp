#include <emscripten/bind.h>

#include "adapt.h"
#include "gguf/writer.h"

namespace packed::bindings {
namespace {

std::vector<MetadataField> fieldsOf(const val& fields) {
  std::vector<MetadataField> result;
  for (const val& field : emscripten::vecFromJSArray<val>(fields)) {
    result.push_back({field["key"].as<std::string>(),
                      static_cast<MetadataType>(field["type"].as<uint32_t>()),
                      emscripten::convertJSArrayToNumberVector<uint8_t>(field["value"])});
  }
  return result;
}

// { header, tensors: [{ offset, byteLength, paddingAfter }], totalBytes } of a file to be written.
val plan(const val& fields, const val& tensors, double alignment) {
  std::vector<TensorToWrite> infos;
  for (const val& tensor : emscripten::vecFromJSArray<val>(tensors)) {
    auto encoding = encodingByName(tensor["encoding"].as<std::string>());
    if (!encoding) return failure(encoding.error());
    infos.push_back({tensor["name"].as<std::string>(), wholes(tensor["ne"]), *encoding});
  }
  auto planned = planGguf(fieldsOf(fields), infos, whole(alignment));
  if (!planned) return failure(planned.error());
  val places = val::array();
  for (const PlannedTensor& tensor : planned->tensors) {
    val place = val::object();
    place.set("offset", static_cast<double>(tensor.offset));
    place.set("byteLength", static_cast<double>(tensor.byteLength));
    place.set("paddingAfter", static_cast<double>(tensor.paddingAfter));
    places.call<void>("push", place);
  }
  val object = val::object();
  object.set("header", bytesObject(planned->header));
  object.set("tensors", places);
  object.set("totalBytes", static_cast<double>(planned->totalBytes));
  return object;
}

}  // namespace

EMSCRIPTEN_BINDINGS(gguf_write) { emscripten::function("planGguf", &plan); }

}  // namespace packed::bindings
