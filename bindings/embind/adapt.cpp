#include "adapt.h"

namespace packed::bindings {

void Object::set(const char* name, double number) { object_.set(name, number); }
void Object::set(const char* name, bool truth) { object_.set(name, truth); }
void Object::set(const char* name, std::string_view text) { object_.set(name, std::string(text)); }
void Object::set(const char* name, const val& value) { object_.set(name, value); }

void List::add(const val& value) { array_.set(size_++, value); }
void List::add(std::string_view text) { add(val(std::string(text))); }

val failure(const Error& error) {
  Object object;
  object.set("failed", true);
  object.set("code", nameOf(error.code));
  object.set("message", error.message);
  if (error.offset) object.set("offset", *error.offset);
  if (!error.tensor.empty()) object.set("tensor", error.tensor);
  if (!error.expected.empty()) object.set("expected", error.expected);
  if (!error.actual.empty()) object.set("actual", error.actual);
  return std::move(object);
}

std::vector<uint64_t> wholes(const val& numbers) {
  std::vector<uint64_t> result;
  for (const double number : emscripten::convertJSArrayToNumberVector<double>(numbers)) {
    result.push_back(whole(number));
  }
  return result;
}

val numbers(std::span<const uint64_t> wholes) {
  List list;
  for (const uint64_t number : wholes) list.add(val(static_cast<double>(number)));
  return std::move(list);
}

val bytesObject(std::span<const uint8_t> bytes) {
  return val::global("Uint8Array").new_(emscripten::typed_memory_view(bytes.size(), bytes.data()));
}

val floatsObject(std::span<const float> floats) {
  return val::global("Float32Array")
      .new_(emscripten::typed_memory_view(floats.size(), floats.data()));
}

}  // namespace packed::bindings
