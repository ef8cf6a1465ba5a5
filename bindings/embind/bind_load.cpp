#include <emscripten/bind.h>

#include "adapt.h"
#include "js_sink.h"

namespace packed::bindings {
namespace {

// What the facade keeps of a tensor's description.
TensorInfo infoOf(const val& tensor) {
  TensorInfo info;
  info.name = tensor["name"].as<std::string>();
  info.ne = wholes(tensor["ne"]);
  info.ggmlType = tensor["ggmlType"].as<uint32_t>();
  if (auto encoding = encodingByGgmlType(info.ggmlType)) info.encoding = *encoding;
  if (const val offset = tensor["offset"]; !offset.isNull())
    info.offset = whole(offset.as<double>());
  if (auto length = byteLengthOf(info)) info.byteLength = *length;
  return info;
}

WeightForm formOf(const val& form) {
  WeightForm wanted;
  if (form["shape"].as<std::string>() == "OUT_IN") wanted.shape = ShapeOrientation::OUT_IN;
  if (form["order"].as<std::string>() == "KERNEL_FEED") wanted.order = LoadOrder::KERNEL_FEED;
  if (form["encoding"].as<std::string>() == "dequantize") {
    wanted.encoding = LoadEncoding::DEQUANTIZE;
  }
  return wanted;
}

val startLoad(const val& tensor, bool littleEndian, const val& form, double totalSize, Scope& scope,
              JsSink* sink) {
  GgufHeader header;
  header.littleEndian = littleEndian;
  auto load =
      TensorLoad::start(header, infoOf(tensor), formOf(form), whole(totalSize), scope, sink);
  if (!load) return failure(load.error());
  return val(std::make_shared<TensorLoad>(std::move(load).value()));
}

val range(const TensorLoad& load) {
  Object object;
  object.set("offset", load.range().offset);
  object.set("length", load.range().length);
  return std::move(object);
}
val accept(TensorLoad& load, double address, double size) {
  return outcome(load.accept(heapSpan<const uint8_t>(address, size)));
}
val finish(TensorLoad& load) { return outcome(load.finish()); }

// { feedable, reason } of one tensor, but for its place in the file.
val feedable(const val& tensor, bool littleEndian) {
  GgufHeader header;
  header.littleEndian = littleEndian;
  const Status status = checkFeedable(header, infoOf(tensor));
  Object object;
  object.set("feedable", status.ok());
  object.set("reason", status.ok() ? val::null() : val(status.error().message));
  return std::move(object);
}

// The form that a historical reader's convention stands for.
val convention(const std::string& name) {
  auto form = readerConvention(name);
  if (!form) return failure(form.error());
  Object object;
  object.set("shape", form->shape == ShapeOrientation::OUT_IN ? "OUT_IN" : "AS_STORED");
  return std::move(object);
}

}  // namespace

EMSCRIPTEN_BINDINGS(load) {
  using emscripten::allow_raw_pointers;

  emscripten::class_<TensorLoad>("TensorLoad")
      .smart_ptr<std::shared_ptr<TensorLoad>>("SharedTensorLoad")
      .function("range", &range)
      .function("accept", &accept)
      .function("finish", &finish);
  emscripten::function("startLoad", &startLoad, allow_raw_pointers());
  emscripten::function("feedable", &feedable);
  emscripten::function("readerConvention", &convention);
}

}  // namespace packed::bindings
