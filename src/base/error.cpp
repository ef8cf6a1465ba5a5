#include "base/error.h"

#include <charconv>
#include <cstdio>
#include <utility>

namespace packed {

std::string_view nameOf(ErrorCode code) {
  switch (code) {
#define X(name, meaning) \
  case ErrorCode::name:  \
    return #name;
#include "base/errors.inc"
#undef X
  }
  return "UNKNOWN";
}

std::string_view meaningOf(ErrorCode code) {
  switch (code) {
#define X(name, meaning) \
  case ErrorCode::name:  \
    return meaning;
#include "base/errors.inc"
#undef X
  }
  return "unknown";
}

Error::Error() = default;
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

Error Error::at(uint64_t byteOffset) && {
  offset = byteOffset;
  return std::move(*this);
}

Error Error::in(std::string_view tensorName) && {
  tensor = tensorName;
  return std::move(*this);
}

Error Error::wanted(std::string_view expectedText, std::string_view actualText) && {
  expected = expectedText;
  actual = actualText;
  return std::move(*this);
}

void Piece::appendTo(std::string& text) const {
  char digits[32];
  switch (kind_) {
    case Kind::TEXT:
      text += text_;
      return;
    case Kind::CHARACTER:
      text += character_;
      return;
    case Kind::UNSIGNED:
      text.append(digits, std::to_chars(digits, digits + sizeof digits, unsigned_).ptr);
      return;
    case Kind::SIGNED:
      text.append(digits, std::to_chars(digits, digits + sizeof digits, signed_).ptr);
      return;
    case Kind::REAL:
      std::snprintf(digits, sizeof digits, "%.9g", real_);
      text += digits;
      return;
  }
}

std::string joinPieces(std::initializer_list<Piece> pieces) {
  std::string text;
  for (const Piece& piece : pieces) piece.appendTo(text);
  return text;
}

Error refusePieces(ErrorCode code, std::initializer_list<Piece> pieces) {
  Error error;
  error.code = code;
  error.message = joinPieces(pieces);
  return error;
}

}  // namespace packed
