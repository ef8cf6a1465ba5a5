#include <emscripten/bind.h>

#include "adapt.h"
#include "js_sink.h"

namespace packed::bindings {
namespace {

val blockObject(const BlockAt& at) {
  val object = val::object();
  object.set("o", static_cast<double>(at.o));
  object.set("b", static_cast<double>(at.b));
  return object;
}

val refuseUnlessOutIn(double rows, double inputDim, const std::string& encoding) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  return outcome(requireOutIn(whole(rows), whole(inputDim), *known));
}

// { blocksPerRow, byteLength } of an [out, inputDim] weight.
val grid(const std::string& encoding, double out, double inputDim) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  auto size = gridOf(*known, whole(out), whole(inputDim));
  if (!size) return failure(size.error());
  auto bytes = gridBytesOf(*known, *size);
  if (!bytes) return failure(bytes.error());
  val object = val::object();
  object.set("blocksPerRow", static_cast<double>(size->blocksPerRow));
  object.set("byteLength", static_cast<double>(*bytes));
  return object;
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

val prepackView(const TensorView& view, Scope& scope, JsSink* sink) {
  return outcome(prepackForMatmul(view, scope, sink));
}
val canonicalView(const TensorView& view, Scope& scope, JsSink* sink) {
  return outcome(toCanonical(view, scope, sink));
}

val placementFixture(const std::string& encoding, const std::string& order) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  auto bytes = orderOf(order) == BlockOrder::ROW_MAJOR ? fixtures::canonical(*known)
                                                       : fixtures::kernelOrder(*known);
  return bytes ? bytesObject(*bytes) : failure(bytes.error());
}

val decodableFixture(const std::string& encoding) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  auto fixture = fixtures::decodable(*known);
  if (!fixture) return failure(fixture.error());
  val object = val::object();
  object.set("encoding", encoding);
  object.set("order", std::string(nameOf(fixture->order)));
  object.set("out", static_cast<double>(fixture->out));
  object.set("blocksPerRow", static_cast<double>(fixture->blocksPerRow));
  object.set("inputDim", static_cast<double>(fixture->inputDim));
  object.set("bytes", bytesObject(fixture->bytes));
  object.set("decoded", floatsObject(fixture->decoded));
  object.set("x", floatsObject(fixture->x));
  object.set("y", floatsObject(fixture->y));
  return object;
}

// `reference` is 0 for the fixture, `out` is 0 for the fixture's grid.
Expectation expectationOf(bool kernelOrder, double out, double blocksPerRow, double reference,
                          double referenceSize) {
  Expectation expectation;
  if (kernelOrder) expectation.order = BlockOrder::INPUT_BLOCK_MAJOR;
  if (out > 0) expectation.grid = {whole(out), whole(blocksPerRow)};
  if (reference != 0) expectation.reference = heapSpan<const uint8_t>(reference, referenceSize);
  return expectation;
}

val findDisagreement(double observed, double observedSize, const std::string& encoding,
                     bool kernelOrder, double out, double blocksPerRow, double reference,
                     double referenceSize) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  const Expectation expectation =
      expectationOf(kernelOrder, out, blocksPerRow, reference, referenceSize);
  auto found = disagreement(heapSpan<const uint8_t>(observed, observedSize), *known, expectation);
  if (!found) return failure(found.error());
  if (!*found) return val::null();
  const Disagreement& first = **found;
  val object = val::object();
  object.set("o", first.belongs ? val(static_cast<double>(first.belongs->o)) : val::null());
  object.set("b", first.belongs ? val(static_cast<double>(first.belongs->b)) : val::null());
  object.set("flatIndex", static_cast<double>(first.flatIndex));
  object.set("found", first.found ? blockObject(*first.found) : val::null());
  object.set("misplaced", static_cast<double>(first.misplaced));
  object.set("total", static_cast<double>(first.total));
  object.set("message", first.message);
  return object;
}

val findMistake(double observed, double observedSize, const std::string& encoding, bool kernelOrder,
                double out, double blocksPerRow, double reference, double referenceSize) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  auto found = diagnose(heapSpan<const uint8_t>(observed, observedSize), *known,
                        expectationOf(kernelOrder, out, blocksPerRow, reference, referenceSize));
  if (!found) return failure(found.error());
  val candidates = val::array();
  for (const DiagnosisKind kind : found->candidates) {
    candidates.call<void>("push", std::string(nameOf(kind)));
  }
  val object = val::object();
  object.set("kind", std::string(nameOf(found->kind)));
  object.set("variant", found->variant);
  object.set("explained", static_cast<double>(found->explained));
  object.set("total", static_cast<double>(found->total));
  object.set("candidates", candidates);
  object.set("message", found->message);
  object.set("fix", found->fix);
  object.set("picture", found->picture);
  return object;
}

}  // namespace

EMSCRIPTEN_BINDINGS(weights) {
  using emscripten::allow_raw_pointers;

  emscripten::function("requireOutIn", &refuseUnlessOutIn);
  emscripten::function("grid", &grid);
  emscripten::function("relayoutInto", &relayoutInto);
  emscripten::function("prepackForMatmul", &prepackView, allow_raw_pointers());
  emscripten::function("toCanonical", &canonicalView, allow_raw_pointers());
  emscripten::function("placementFixture", &placementFixture);
  emscripten::function("decodableFixture", &decodableFixture);
  emscripten::function("disagreement", &findDisagreement);
  emscripten::function("diagnose", &findMistake);
}

}  // namespace packed::bindings
