#include <emscripten/bind.h>

#include "adapt.h"
#include "gguf/limits.h"
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

// { header, tensors: [{ offset, byteLength, paddingAfter }], totalBytes, addedQuantizationVersion }
// of a file to be written.
val plan(const val& fields, const val& tensors, double alignment) {
  std::vector<TensorToWrite> infos;
  for (const val& tensor : emscripten::vecFromJSArray<val>(tensors)) {
    auto encoding = encodingByName(tensor["encoding"].as<std::string>());
    if (!encoding) return failure(encoding.error());
    infos.push_back({tensor["name"].as<std::string>(), wholes(tensor["ne"]), *encoding});
  }
  auto planned = planGguf(fieldsOf(fields), infos, whole(alignment));
  if (!planned) return failure(planned.error());
  List places;
  for (const PlannedTensor& tensor : planned->tensors) {
    Object place;
    place.set("offset", tensor.offset);
    place.set("byteLength", tensor.byteLength);
    place.set("paddingAfter", tensor.paddingAfter);
    places.add(place);
  }
  Object object;
  object.set("header", bytesObject(planned->header));
  object.set("tensors", places);
  object.set("totalBytes", planned->totalBytes);
  object.set("addedQuantizationVersion", planned->addedQuantizationVersion);
  return std::move(object);
}

double mostHeaderBytes() { return static_cast<double>(kMaxHeaderBytes); }

}  // namespace

EMSCRIPTEN_BINDINGS(gguf_write) {
  emscripten::function("planGguf", &plan);
  emscripten::function("mostHeaderBytes", &mostHeaderBytes);
}

}  // namespace packed::bindings
