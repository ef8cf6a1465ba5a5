#include "base/error.h"

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

namespace detail {
void append(std::string& to, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  to += text;
}
}  // namespace detail

}  // namespace packed
