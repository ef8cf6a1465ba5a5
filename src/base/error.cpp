#include "base/error.h"

#include <charconv>
#include <cmath>
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

namespace {

constexpr int kDigits = 9;

// The decimal exponent of a positive finite number, and its nine figures as a number.
int decimal(double original, uint64_t& figures) {
  constexpr double kPowers[] = {1e1, 1e2, 1e4, 1e8, 1e16, 1e32, 1e64, 1e128, 1e256};
  double number = original;
  int exponent = 0;
  for (int k = 8; k >= 0; --k) {
    if (number >= kPowers[k]) {
      number /= kPowers[k];
      exponent += 1 << k;
    } else if (number * kPowers[k] < 10) {
      number *= kPowers[k];
      exponent -= 1 << k;
    }
  }
  double scaled = number * 1e8;
  // Powers up to the 22nd are exact: then there is one rounding, and ties fall as they should.
  if (const int steps = kDigits - 1 - exponent; std::abs(steps) <= 22) {
    double power = 1;
    for (int k = 0; k < std::abs(steps); ++k) power *= 10;
    scaled = steps < 0 ? original / power : original * power;
  }
  figures = static_cast<uint64_t>(std::nearbyint(scaled));
  if (figures < 1'000'000'000) return exponent;
  figures /= 10;
  return exponent + 1;
}

// As printf's %.9g, which would bring 3 KB of code for wide numbers along.
void appendReal(std::string& text, double number) {
  if (std::isnan(number)) {
    text += "nan";
    return;
  }
  if (std::signbit(number)) text += '-';
  number = std::fabs(number);
  if (std::isinf(number) || number == 0) {
    text += number == 0 ? "0" : "inf";
    return;
  }
  uint64_t digits = 0;
  const int exponent = decimal(number, digits);
  char figures[20];
  std::to_chars(figures, figures + sizeof figures, digits);
  int count = kDigits;
  while (count > 1 && figures[count - 1] == '0') --count;
  const bool scientific = exponent < -4 || exponent >= kDigits;
  const int whole = scientific ? 1 : exponent + 1;  // figures before the point
  if (whole <= 0) text.append("0.").append(static_cast<std::size_t>(-whole), '0');
  for (int k = 0; k < count || k < whole; ++k) {
    if (k == whole && k > 0) text += '.';
    text += figures[k];
  }
  if (!scientific) return;
  const int size = std::abs(exponent);
  text += exponent < 0 ? "e-" : "e+";
  if (size < 10) text += '0';
  char power[8];
  text.append(power, std::to_chars(power, power + sizeof power, size).ptr);
}

}  // namespace

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
      appendReal(text, real_);
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
