#include <emscripten/bind.h>

#include "adapt.h"
#include "js_sink.h"

namespace packed::bindings {
namespace {

std::unique_ptr<JsSink> makeSink(const val& callback) { return std::make_unique<JsSink>(callback); }

std::shared_ptr<Scope> makeScope(const std::string& name, JsSink* sink, double limit) {
  return std::make_shared<Scope>(name, sink, whole(limit));
}
double bytesLive(const Scope& scope) { return static_cast<double>(scope.bytesLive()); }
double bytesPeak(const Scope& scope) { return static_cast<double>(scope.bytesPeak()); }

// A view over fresh memory of the scope, for the facade to fill.
val makeView(Scope& scope, const std::string& encoding, const val& shape,
             const std::string& order) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  const std::vector<uint64_t> sizes = wholes(shape);
  auto layout = Layout::dense(sizes, specOf(*known).elements, orderOf(order));
  if (!layout) return failure(layout.error());
  auto size = packedBytesOf(*known, *layout);
  if (!size) return failure(size.error());
  auto storage = scope.allocate(*size, encoding);
  if (!storage) return failure(storage.error());
  return outcome(TensorView::of(*storage, *known, sizes, orderOf(order)));
}

std::string encodingName(const TensorView& view) { return std::string(nameOf(view.encoding())); }
std::string orderName(const TensorView& view) { return std::string(nameOf(view.order())); }
std::string layoutClass(const TensorView& view) { return std::string(nameOf(layoutClassOf(view))); }
val shape(const TensorView& view) { return numbers(view.shape()); }
val strides(const TensorView& view) {
  const GridStrides strides = view.layout().strides();
  const uint64_t pair[] = {strides.row, strides.block};
  return numbers(pair);
}
double offset(const TensorView& view) { return static_cast<double>(view.layout().offset()); }
double packedSize(const TensorView& view) { return static_cast<double>(view.packedSize()); }
double valueCount(const TensorView& view) { return static_cast<double>(view.valueCount()); }
double storageIdentity(const TensorView& view) {
  return static_cast<double>(view.storage()->identity());
}

// Of the blocks, where they stand without gaps; 0 where they do not.
double address(const TensorView& view) {
  const auto bytes = view.storageBytes();
  if (!bytes || !view.layout().gapFree()) return 0;
  const uint64_t start = view.layout().offset() * specOf(view.encoding()).bytes;
  return static_cast<double>(reinterpret_cast<uintptr_t>(bytes->data() + start));
}

val get(const TensorView& view, const val& index) { return outcome(view.get(wholes(index))); }
val rowInto(const TensorView& view, double o, double to, double count) {
  return outcome(view.row(whole(o), heapSpan<float>(to, count)));
}
val floatsInto(const TensorView& view, double to, double count) {
  return outcome(view.toFloats(heapSpan<float>(to, count)));
}
val blocksInto(const TensorView& view, const std::string& order, double to, double size) {
  return outcome(view.copyBlocks(orderOf(order), heapSpan<uint8_t>(to, size)));
}
val narrow(const TensorView& view, double axis, double from, double size) {
  return outcome(view.narrow(static_cast<std::size_t>(axis), whole(from), whole(size)));
}
val everyNth(const TensorView& view, double axis, double step) {
  return outcome(view.everyNth(static_cast<std::size_t>(axis), whole(step)));
}
val slice(const TensorView& view, double index) { return outcome(view.slice(whole(index))); }
val turned(const TensorView& view) { return outcome(view.transpose()); }
val reshaped(const TensorView& view, const val& shape) {
  return outcome(view.reshape(wholes(shape)));
}

// What a relayout would need, before it is paid.
val plan(const TensorView& view, const std::string& order) {
  const auto plan = planPrepack(view, orderOf(order));
  if (!plan) return failure(plan.error());
  Object object;
  object.set("needed", plan->needed);
  object.set("bytes", plan->bytes);
  object.set("scratchBytes", plan->scratchBytes);
  return std::move(object);
}
val dequantized(const TensorView& view, Scope& scope, JsSink* sink) {
  return outcome(dequantize(view, scope, sink));
}

val prepackTo(const TensorView& view, const std::string& order, Scope& scope, JsSink* sink) {
  return outcome(prepack(view, orderOf(order), scope, sink));
}
val prepackHere(const TensorView& view, const std::string& order, JsSink* sink) {
  return outcome(prepackInPlace(view, orderOf(order), sink));
}

}  // namespace

EMSCRIPTEN_BINDINGS(tensor) {
  using emscripten::allow_raw_pointers;

  emscripten::class_<JsSink>("Sink");
  emscripten::function("makeSink", &makeSink);

  emscripten::class_<Scope>("Scope")
      .smart_ptr<std::shared_ptr<Scope>>("SharedScope")
      .function("bytesLive", &bytesLive)
      .function("bytesPeak", &bytesPeak)
      .function("reset", &Scope::reset)
      .function("close", &Scope::close);
  emscripten::function("makeScope", &makeScope, allow_raw_pointers());

  emscripten::class_<TensorView>("View")
      .function("encoding", &encodingName)
      .function("order", &orderName)
      .function("layoutClass", &layoutClass)
      .function("shape", &shape)
      .function("strides", &strides)
      .function("offset", &offset)
      .function("packedSize", &packedSize)
      .function("address", &address)
      .function("valueCount", &valueCount)
      .function("storageIdentity", &storageIdentity)
      .function("get", &get)
      .function("rowInto", &rowInto)
      .function("floatsInto", &floatsInto)
      .function("blocksInto", &blocksInto)
      .function("narrow", &narrow)
      .function("everyNth", &everyNth)
      .function("slice", &slice)
      .function("transpose", &turned)
      .function("reshape", &reshaped)
      .function("planPrepack", &plan)
      .function("dequantize", &dequantized, allow_raw_pointers())
      .function("prepack", &prepackTo, allow_raw_pointers())
      .function("prepackInPlace", &prepackHere, allow_raw_pointers());
  emscripten::function("makeView", &makeView);
}

}  // namespace packed::bindings
