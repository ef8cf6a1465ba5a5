// How values cross between JS and C++. Numbers cross as doubles (exact up to 2^53, beyond the
// memory of any module), names of encodings and orders as strings, packed bytes as addresses of the
// module's heap.
//
// Failures cross as objects: `outcome` gives JS either the value or { failed: true, code, message,
// ... }, which bindings/js/errors.js throws as a PackedError. The module itself never throws.
#pragma once

#include <emscripten/val.h>

#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packed.h"

namespace packed::bindings {

using emscripten::val;

// A plain object of JS, field by field, and an array. Out of line: Embind would compile each
// assignment anew for each length of a name.
class Object {
 public:
  Object() : object_(val::object()) {}

  void set(const char* name, double number);
  void set(const char* name, bool truth);
  void set(const char* name, std::string_view text);
  void set(const char* name, const val& value);
  void set(const char* name, const char* text) { set(name, std::string_view(text)); }
  template <std::integral Number>
  void set(const char* name, Number number) {
    set(name, static_cast<double>(number));
  }
  // null where there is none.
  template <class Number>
  void set(const char* name, const std::optional<Number>& number) {
    set(name, number ? val(static_cast<double>(*number)) : val::null());
  }

  operator const val&() const { return object_; }
  operator val() && { return std::move(object_); }

 private:
  val object_;
};

class List {
 public:
  List() : array_(val::array()) {}

  void add(const val& value);
  void add(std::string_view text);

  operator const val&() const { return array_; }
  operator val() && { return std::move(array_); }

 private:
  val array_;
  uint32_t size_ = 0;
};

val failure(const Error& error);

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

std::vector<uint64_t> wholes(const val& numbers);
val numbers(std::span<const uint64_t> wholes);

// Copies, which outlive the memory that they are made from.
val bytesObject(std::span<const uint8_t> bytes);
val floatsObject(std::span<const float> floats);

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
