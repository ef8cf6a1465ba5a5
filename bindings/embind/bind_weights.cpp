#include <emscripten/bind.h>

#include "adapt.h"
#include "js_sink.h"

namespace packed::bindings {
namespace {

// { blocksPerRow, byteLength } of an [out, inputDim] weight.
val grid(const std::string& encoding, double out, double inputDim) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  auto size = gridOf(*known, whole(out), whole(inputDim));
  if (!size) return failure(size.error());
  auto bytes = gridBytesOf(*known, *size);
  if (!bytes) return failure(bytes.error());
  Object object;
  object.set("blocksPerRow", size->blocksPerRow);
  object.set("byteLength", *bytes);
  return std::move(object);
}

// Source and target may be the same address: the blocks then move in place.
val relayoutInto(const std::string& encoding, double out, double blocksPerRow,
                 const std::string& from, double source, const std::string& to, double target,
                 double size) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  return outcome(relayout(*known, {whole(out), whole(blocksPerRow)}, orderOf(from),
                          heapSpan<const uint8_t>(source, size), orderOf(to),
                          heapSpan<uint8_t>(target, size)));
}

val refuseUnlessOutIn(double rows, double inputDim, const std::string& encoding) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  return outcome(requireOutIn(whole(rows), whole(inputDim), *known));
}

val prepackView(const TensorView& view, Scope& scope, JsSink* sink) {
  return outcome(prepackForMatmul(view, scope, sink));
}
val canonicalView(const TensorView& view, Scope& scope, JsSink* sink) {
  return outcome(toCanonical(view, scope, sink));
}

}  // namespace

EMSCRIPTEN_BINDINGS(weights) {
  using emscripten::allow_raw_pointers;

  emscripten::function("grid", &grid);
  emscripten::function("relayoutInto", &relayoutInto);
  emscripten::function("requireOutIn", &refuseUnlessOutIn);
  emscripten::function("prepackForMatmul", &prepackView, allow_raw_pointers());
  emscripten::function("toCanonical", &canonicalView, allow_raw_pointers());
}

}  // namespace packed::bindings
