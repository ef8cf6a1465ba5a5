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
  Object object;
  object.set("hits", stats.hits);
  object.set("misses", stats.misses);
  object.set("evictions", stats.evictions);
  object.set("entries", stats.entries);
  object.set("bytes", stats.bytes);
  object.set("cacheBytes", stats.capacityBytes);
  return std::move(object);
}

val gemvInto(double x, double xCount, const TensorView& w, double y, double yCount,
             const std::string& activation, JsSink* sink) {
  MatmulOptions options;
  options.activation = activationOf(activation);
  options.sink = sink;
  return outcome(bitnetGemv(registry(), workspace(), heapSpan<const float>(x, xCount), w,
                            heapSpan<float>(y, yCount), options));
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
}

}  // namespace packed::bindings
