#include <emscripten/bind.h>

#include <algorithm>

#include "adapt.h"
#include "js_sink.h"

namespace packed::bindings {
namespace {

val ternaryBytes(const std::string& encoding, double count) {
  auto known = ternaryEncodingByName(encoding);
  if (!known) return failure(known.error());
  return outcome(ternaryBytesOf(*known, whole(count)));
}

val encodeTernaryInto(const std::string& encoding, double from, double count, double to,
                      double size) {
  auto known = ternaryEncodingByName(encoding);
  if (!known) return failure(known.error());
  return outcome(
      encodeTernary(*known, heapSpan<const float>(from, count), heapSpan<uint8_t>(to, size)));
}

val decodeTernaryInto(const std::string& encoding, double from, double size, double to,
                      double count) {
  auto known = ternaryEncodingByName(encoding);
  if (!known) return failure(known.error());
  return outcome(
      decodeTernary(*known, heapSpan<const uint8_t>(from, size), heapSpan<float>(to, count)));
}

val importI2SInto(const std::string& order, double from, double size, double count, double to,
                  double toSize) {
  auto known = i2sOrderByName(order);
  if (!known) return failure(known.error());
  return outcome(importI2S(heapSpan<const uint8_t>(from, size), whole(count), *known,
                           heapSpan<uint8_t>(to, toSize)));
}

// A BITNET_B1_58 weight over a copy of its bytes in the scope.
val makeTernaryWeight(Scope& scope, double from, double size, double out, double inputDim,
                      const std::string& order) {
  const auto bytes = heapSpan<const uint8_t>(from, size);
  auto storage = scope.allocate(bytes.size(), nameOf(TernaryEncoding::BITNET_B1_58));
  if (!storage) return failure(storage.error());
  auto to = (*storage)->writableBytes();
  if (!to) return failure(to.error());
  std::copy(bytes.begin(), bytes.end(), to->begin());
  auto made = TernaryWeight::of(*storage, whole(out), whole(inputDim), orderOf(order));
  if (!made) {
    // What has been refused must not stay in the caller's scope. It is the owner, so this succeeds.
    if (auto released = scope.release(**storage); !released) return failure(released.error());
  }
  return outcome(std::move(made));
}

double rows(const TernaryWeight& weight) { return static_cast<double>(weight.out()); }
double rowLength(const TernaryWeight& weight) { return static_cast<double>(weight.inputDim()); }
std::string orderName(const TernaryWeight& weight) { return std::string(nameOf(weight.order())); }
val valueAt(const TernaryWeight& weight, double o, double i) {
  auto value = weight.get(whole(o), whole(i));
  return value ? val(*value) : failure(value.error());
}
val narrowed(const TernaryWeight& weight, double from, double count) {
  return outcome(weight.narrow(whole(from), whole(count)));
}
val prepackTo(const TernaryWeight& weight, const std::string& order, Scope& scope, JsSink* sink) {
  return outcome(prepack(weight, orderOf(order), scope, sink));
}
val gemvInto(const TernaryWeight& weight, double x, double xCount, double y, double yCount,
             const std::string& activation, JsSink* sink) {
  MatmulOptions options;
  options.activation = activationOf(activation);
  options.sink = sink;
  return outcome(
      bitnetGemv(heapSpan<const float>(x, xCount), weight, heapSpan<float>(y, yCount), options));
}

}  // namespace

EMSCRIPTEN_BINDINGS(ternary) {
  using emscripten::allow_raw_pointers;

  emscripten::class_<TernaryWeight>("TernaryWeight")
      .function("out", &rows)
      .function("inputDim", &rowLength)
      .function("order", &orderName)
      .function("get", &valueAt)
      .function("narrow", &narrowed)
      .function("prepack", &prepackTo, allow_raw_pointers())
      .function("gemvInto", &gemvInto, allow_raw_pointers());
  emscripten::function("makeTernaryWeight", &makeTernaryWeight);
  emscripten::function("ternaryBytes", &ternaryBytes);
  emscripten::function("encodeTernaryInto", &encodeTernaryInto);
  emscripten::function("decodeTernaryInto", &decodeTernaryInto);
  emscripten::function("importI2SInto", &importI2SInto);
}

}  // namespace packed::bindings
