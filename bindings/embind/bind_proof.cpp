#include <emscripten/bind.h>

#include "adapt.h"

namespace packed::bindings {
namespace {

val blockObject(const BlockAt& at) {
  Object object;
  object.set("o", at.o);
  object.set("b", at.b);
  return std::move(object);
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
  Object object;
  object.set("encoding", encoding);
  object.set("order", nameOf(fixture->order));
  object.set("out", fixture->out);
  object.set("blocksPerRow", fixture->blocksPerRow);
  object.set("inputDim", fixture->inputDim);
  object.set("bytes", bytesObject(fixture->bytes));
  object.set("decoded", floatsObject(fixture->decoded));
  object.set("x", floatsObject(fixture->x));
  object.set("y", floatsObject(fixture->y));
  return std::move(object);
}

// `reference` is 0 for the fixture, `out` is -1 for the fixture's grid.
Expectation expectationOf(bool kernelOrder, double out, double blocksPerRow, double reference,
                          double referenceSize) {
  Expectation expectation;
  if (kernelOrder) expectation.order = BlockOrder::INPUT_BLOCK_MAJOR;
  if (out >= 0) expectation.grid = {whole(out), whole(blocksPerRow)};
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
  Object object;
  object.set("o", first.belongs ? val(static_cast<double>(first.belongs->o)) : val::null());
  object.set("b", first.belongs ? val(static_cast<double>(first.belongs->b)) : val::null());
  object.set("flatIndex", first.flatIndex);
  object.set("found", first.found ? blockObject(*first.found) : val::null());
  object.set("misplaced", first.misplaced);
  object.set("total", first.total);
  object.set("message", first.message);
  return std::move(object);
}

val findMistake(double observed, double observedSize, const std::string& encoding, bool kernelOrder,
                double out, double blocksPerRow, double reference, double referenceSize) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  auto found = diagnose(heapSpan<const uint8_t>(observed, observedSize), *known,
                        expectationOf(kernelOrder, out, blocksPerRow, reference, referenceSize));
  if (!found) return failure(found.error());
  List candidates;
  for (const DiagnosisKind kind : found->candidates) {
    candidates.add(nameOf(kind));
  }
  Object object;
  object.set("kind", nameOf(found->kind));
  object.set("variant", found->variant);
  object.set("explained", found->explained);
  object.set("total", found->total);
  object.set("candidates", candidates);
  object.set("message", found->message);
  object.set("fix", found->fix);
  object.set("picture", found->picture);
  return std::move(object);
}

}  // namespace

EMSCRIPTEN_BINDINGS(proof) {
  emscripten::function("placementFixture", &placementFixture);
  emscripten::function("decodableFixture", &decodableFixture);
  emscripten::function("disagreement", &findDisagreement);
  emscripten::function("diagnose", &findMistake);
}

}  // namespace packed::bindings
