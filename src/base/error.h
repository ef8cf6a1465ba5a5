// Error: one refusal. `message` says what happened, where, and what to do about it; the other
// fields carry the same facts for programs, where they apply.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
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
  // Out of line: errors are handed on in many places, and each would copy the code for five fields.
  Error();
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();

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

// One part of a message: text, a character or a number.
class Piece {
 public:
  Piece(std::string_view text) : kind_(Kind::TEXT), text_(text) {}
  Piece(const std::string& text) : Piece(std::string_view(text)) {}
  Piece(const char* text) : Piece(std::string_view(text)) {}
  Piece(char character) : kind_(Kind::CHARACTER), character_(character) {}
  Piece(double number) : kind_(Kind::REAL), real_(number) {}
  template <std::unsigned_integral Number>
  Piece(Number number) : kind_(Kind::UNSIGNED), unsigned_(number) {}
  template <std::signed_integral Number>
  Piece(Number number) : kind_(Kind::SIGNED), signed_(number) {}

  void appendTo(std::string& text) const;

 private:
  enum class Kind : uint8_t { TEXT, CHARACTER, UNSIGNED, SIGNED, REAL };
  Kind kind_;
  union {
    std::string_view text_;
    char character_;
    uint64_t unsigned_;
    int64_t signed_;
    double real_;
  };
};

// The only formatter of the library, so that no locale can reach it. Not a template itself:
// messages are many, and each would be compiled anew.
std::string joinPieces(std::initializer_list<Piece> pieces);
Error refusePieces(ErrorCode code, std::initializer_list<Piece> pieces);

// joined("row ", o, " of ", out)
template <class... Parts>
std::string joined(const Parts&... parts) {
  return joinPieces({Piece(parts)...});
}

// refuse(ErrorCode::OUT_OF_RANGE, "row ", o, " of ", out)
template <class... Parts>
Error refuse(ErrorCode code, const Parts&... parts) {
  return refusePieces(code, {Piece(parts)...});
}

}  // namespace packed
