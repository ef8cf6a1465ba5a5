#include <emscripten/bind.h>

#include "adapt.h"

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

}  // namespace

EMSCRIPTEN_BINDINGS(ternary) {
  emscripten::function("ternaryBytes", &ternaryBytes);
  emscripten::function("encodeTernaryInto", &encodeTernaryInto);
  emscripten::function("decodeTernaryInto", &decodeTernaryInto);
  emscripten::function("importI2SInto", &importI2SInto);
}

}  // namespace packed::bindings
