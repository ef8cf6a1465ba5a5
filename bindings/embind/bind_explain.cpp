#include <emscripten/bind.h>

#include "adapt.h"
#include "engine.h"

namespace packed::bindings {
namespace {

// What runs for a weight as it lies, or what comes nearest.
val explainView(const TensorView& w, const std::string& activation) {
  const Explanation answer = explain(registry(), w, activationOf(activation));
  Object object;
  object.set("key", answer.key.text());
  object.set("kernel", answer.kernel ? val(std::string(answer.kernel->name)) : val::null());
  object.set("nearest", answer.nearest ? val(std::string(answer.nearest->name)) : val::null());
  object.set("field", answer.field.empty() ? val::null() : val(answer.field));
  object.set("has", answer.has.empty() ? val::null() : val(answer.has));
  object.set("wants", answer.wants.empty() ? val::null() : val(answer.wants));
  object.set("message", answer.text);
  return std::move(object);
}

}  // namespace

EMSCRIPTEN_BINDINGS(explain) { emscripten::function("explain", &explainView); }

}  // namespace packed::bindings
