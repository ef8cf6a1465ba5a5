// Error: one refusal. `message` says what happened, where, and what to do about it; the other fields
// carry the same facts for programs, where they apply.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace packed {

enum class ErrorCode : uint8_t {
#define X(code, meaning) code,
#include "base/errors.inc"
#undef X
};

// The code as it is spelled in the list: "LOOKS_TRANSPOSED".
std::string_view nameOf(ErrorCode code);
// What the code means in general, one sentence without a full stop.
std::string_view meaningOf(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::INVALID_ARGUMENT;
  std::string message;
  std::optional<uint64_t> offset;  // absolute byte offset in the file or buffer
  std::string tensor;
  std::string expected;
  std::string actual;

  // Fluent setters, so that a refusal reads as one expression where it is made.
  Error at(uint64_t byteOffset) &&;
  Error in(std::string_view tensorName) &&;
  Error wanted(std::string_view expectedText, std::string_view actualText) &&;
};

// Joins anything streamable into text: refuse(ErrorCode::OUT_OF_RANGE, "row ", o, " of ", out).
template <class... Parts>
Error refuse(ErrorCode code, const Parts&... parts);

// Joins strings and integers; the only formatter of the library, so that no locale can reach it.
template <class... Parts>
std::string joined(const Parts&... parts);

namespace detail {
inline void append(std::string& to, std::string_view text) { to += text; }
inline void append(std::string& to, char c) { to += c; }
template <class Integer>
  requires std::is_integral_v<Integer>
void append(std::string& to, Integer value) {
  to += std::to_string(value);
}
void append(std::string& to, double value);
}  // namespace detail

template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string text;
  (detail::append(text, parts), ...);
  return text;
}

template <class... Parts>
Error refuse(ErrorCode code, const Parts&... parts) {
  Error error;
  error.code = code;
  error.message = joined(parts...);
  return error;
}

}  // namespace packed
