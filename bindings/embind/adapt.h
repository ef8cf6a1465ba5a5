// How values cross between JS and C++. Numbers cross as doubles (exact up to 2^53, beyond the
// memory of any module), names of encodings and orders as strings, packed bytes as addresses of the
// module's heap.
//
// Failures cross as objects: `outcome` gives JS either the value or { failed: true, code, message,
// ... }, which bindings/js/errors.js throws as a PackedError. The module itself never throws.
#pragma once

#include <emscripten/val.h>

#include <cmath>
#include <string>
#include <vector>

#include "packed.h"

namespace packed::bindings {

using emscripten::val;

inline val failure(const Error& error) {
  val object = val::object();
  object.set("failed", true);
  object.set("code", std::string(nameOf(error.code)));
  object.set("message", error.message);
  if (error.offset) object.set("offset", static_cast<double>(*error.offset));
  if (!error.tensor.empty()) object.set("tensor", error.tensor);
  if (!error.expected.empty()) object.set("expected", error.expected);
  if (!error.actual.empty()) object.set("actual", error.actual);
  return object;
}

template <class T>
val outcome(Result<T> result) {
  if (!result) return failure(result.error());
  if constexpr (std::is_same_v<T, Done>) {
    return val::undefined();
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return val(static_cast<double>(*result));
  } else {
    return val(std::move(result).value());
  }
}

// A size or an index from JS. What is not a whole number from 0 to 2^53 becomes one that no check
// lets pass; the facade has said so to the user before.
inline uint64_t whole(double number) {
  return number >= 0 && number <= 0x1p53 && std::floor(number) == number
             ? static_cast<uint64_t>(number)
             : UINT64_MAX;
}

inline std::vector<uint64_t> wholes(const val& numbers) {
  std::vector<uint64_t> result;
  for (const double number : emscripten::convertJSArrayToNumberVector<double>(numbers)) {
    result.push_back(whole(number));
  }
  return result;
}

inline val numbers(std::span<const uint64_t> wholes) {
  val array = val::array();
  for (const uint64_t number : wholes) array.call<void>("push", static_cast<double>(number));
  return array;
}

// Copies, which outlive the memory that they are made from.
inline val bytesObject(std::span<const uint8_t> bytes) {
  return val::global("Uint8Array").new_(emscripten::typed_memory_view(bytes.size(), bytes.data()));
}
inline val floatsObject(std::span<const float> floats) {
  return val::global("Float32Array")
      .new_(emscripten::typed_memory_view(floats.size(), floats.data()));
}

inline BlockOrder orderOf(const std::string& name) {
  return name == nameOf(BlockOrder::ROW_MAJOR) ? BlockOrder::ROW_MAJOR
                                               : BlockOrder::INPUT_BLOCK_MAJOR;
}

inline Activation activationOf(const std::string& name) {
  return name == nameOf(Activation::INT8) ? Activation::INT8 : Activation::F32;
}

// A part of the module's heap that the facade has reserved (heap.cpp).
template <class T>
std::span<T> heapSpan(double address, double count) {
  return {reinterpret_cast<T*>(static_cast<uintptr_t>(address)), static_cast<std::size_t>(count)};
}

}  // namespace packed::bindings
