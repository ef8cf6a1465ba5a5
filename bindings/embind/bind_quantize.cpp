#include <emscripten/bind.h>

#include "adapt.h"

namespace packed::bindings {
namespace {

val quantizeInto(const std::string& encoding, double from, double count, double inputDim,
                 double importance, double importanceCount, double to, double size) {
  auto known = encodingByName(encoding);
  if (!known) return failure(known.error());
  auto report =
      quantize(*known, heapSpan<const float>(from, count), whole(inputDim),
               heapSpan<const float>(importance, importanceCount), heapSpan<uint8_t>(to, size));
  if (!report) return failure(report.error());
  Object object;
  object.set("relativeRms", report->relativeRms);
  object.set("maxAbs", report->maxAbs);
  object.set("worstRow", report->worstRow);
  object.set("worstRowRms", report->worstRowRms);
  return std::move(object);
}

}  // namespace

EMSCRIPTEN_BINDINGS(quantize) { emscripten::function("quantizeInto", &quantizeInto); }

}  // namespace packed::bindings
