#include "gguf/finding.h"

#include <array>
#include <utility>

namespace packed {
namespace {

// A rule's name in lower case, with hyphens.
template <std::size_t size>
struct Id {
  char text[size];

  explicit constexpr Id(const char (&name)[size]) : text() {
    for (std::size_t i = 0; i + 1 < size; ++i) {
      const char c = name[i];
      text[i] = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  constexpr operator std::string_view() const { return {text, size - 1}; }
};

namespace ids {
#define X(rule, code, reader, spec, llama, text) constexpr Id rule(#rule);
#include "gguf/rules.inc"
#undef X
}  // namespace ids

constexpr RuleSpec kRules[] = {
#define X(rule, code, reader, spec, llama, text)                                      \
  {Rule::rule,      ids::rule, ErrorCode::code, ReaderPolicy::reader, Severity::spec, \
   Severity::llama, text},
#include "gguf/rules.inc"
#undef X
};

}  // namespace

std::span<const RuleSpec> allRules() { return kRules; }

const RuleSpec& specOf(Rule rule) { return kRules[static_cast<std::size_t>(rule)]; }

std::string_view nameOf(Severity severity) {
  constexpr std::array<std::string_view, 3> names = {"info", "warning", "error"};
  return names[static_cast<std::size_t>(severity)];
}

Finding::Finding() = default;
Finding::Finding(const Finding&) = default;
Finding::Finding(Finding&&) noexcept = default;
Finding& Finding::operator=(const Finding&) = default;
Finding& Finding::operator=(Finding&&) noexcept = default;
Finding::~Finding() = default;

Finding Finding::at(uint64_t byteOffset, uint64_t bytes) && {
  offset = byteOffset;
  length = bytes;
  return std::move(*this);
}

Finding Finding::in(std::string_view tensorName) && {
  tensor = tensorName;
  return std::move(*this);
}

Finding Finding::wanted(std::string_view expectedText, std::string_view actualText) && {
  expected = expectedText;
  actual = actualText;
  return std::move(*this);
}

Error toError(const Finding& finding) {
  Error error;
  error.code = specOf(finding.rule).code;
  error.message = finding.message;
  error.offset = finding.offset;
  error.tensor = finding.tensor;
  error.expected = finding.expected;
  error.actual = finding.actual;
  return error;
}

}  // namespace packed
