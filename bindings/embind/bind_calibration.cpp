#include <emscripten/bind.h>

#include <cstring>

#include "adapt.h"
#include "kernels/calibrate.h"

namespace packed::bindings {
namespace {

double dotCeiling(double iterations) {
  return static_cast<double>(runDotCeiling(static_cast<uint32_t>(iterations)));
}

double addCeiling(double iterations) {
  return static_cast<double>(runAddCeiling(static_cast<uint32_t>(iterations)));
}

void streamRead(double from, double count) {
  const auto bytes = heapSpan<const uint8_t>(from, count);
  runStreamRead(bytes.data(), bytes.size());
}

void copyBytes(double from, double to, double count) {
  const auto source = heapSpan<const uint8_t>(from, count);
  std::memcpy(heapSpan<uint8_t>(to, count).data(), source.data(), source.size());
}

}  // namespace

EMSCRIPTEN_BINDINGS(calibration) {
  emscripten::function("dotCeiling", &dotCeiling);
  emscripten::function("addCeiling", &addCeiling);
  emscripten::function("streamRead", &streamRead);
  emscripten::function("copyBytes", &copyBytes);
}

}  // namespace packed::bindings
