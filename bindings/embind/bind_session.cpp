#include <emscripten/bind.h>

#include "adapt.h"
#include "engine.h"
#include "js_sink.h"

namespace packed::bindings {
namespace {

std::shared_ptr<Session> makeSession(double cacheBytes, JsSink* sink) {
  SessionOptions options;
  options.cacheBytes = whole(cacheBytes);
  options.sink = sink;
  return std::make_shared<Session>(registry(), options);
}

val sessionMatmul(Session& session, double x, double xCount, const TensorView& w, double y,
                  double yCount, const std::string& activation) {
  return outcome(session.matmulWeightTransposed(
      heapSpan<const float>(x, xCount), w, heapSpan<float>(y, yCount), activationOf(activation)));
}

val stats(const Session& session) {
  const WeightCache::Stats stats = session.stats();
  val object = val::object();
  object.set("hits", static_cast<double>(stats.hits));
  object.set("misses", static_cast<double>(stats.misses));
  object.set("evictions", static_cast<double>(stats.evictions));
  object.set("entries", static_cast<double>(stats.entries));
  object.set("bytes", static_cast<double>(stats.bytes));
  object.set("cacheBytes", static_cast<double>(stats.capacityBytes));
  return object;
}

val gemvInto(double x, double xCount, const TensorView& w, double y, double yCount,
             const std::string& activation, JsSink* sink) {
  MatmulOptions options;
  options.activation = activationOf(activation);
  options.sink = sink;
  return outcome(bitnetGemv(registry(), workspace(), heapSpan<const float>(x, xCount), w,
                            heapSpan<float>(y, yCount), options));
}

// What runs for a weight as it lies, or what comes nearest.
val explainView(const TensorView& w, const std::string& activation) {
  const Explanation answer = explain(registry(), w, activationOf(activation));
  val object = val::object();
  object.set("key", answer.key.text());
  object.set("kernel", answer.kernel ? val(std::string(answer.kernel->name)) : val::null());
  object.set("nearest", answer.nearest ? val(std::string(answer.nearest->name)) : val::null());
  object.set("field", answer.field.empty() ? val::null() : val(answer.field));
  object.set("has", answer.has.empty() ? val::null() : val(answer.has));
  object.set("wants", answer.wants.empty() ? val::null() : val(answer.wants));
  object.set("message", answer.text);
  return object;
}

}  // namespace

EMSCRIPTEN_BINDINGS(session) {
  using emscripten::allow_raw_pointers;

  emscripten::class_<Session>("Session")
      .smart_ptr<std::shared_ptr<Session>>("SharedSession")
      .function("matmulInto", &sessionMatmul)
      .function("stats", &stats)
      .function("clear", &Session::clear);
  emscripten::function("makeSession", &makeSession, allow_raw_pointers());
  emscripten::function("gemvInto", &gemvInto, allow_raw_pointers());
  emscripten::function("explain", &explainView);
}

}  // namespace packed::bindings
