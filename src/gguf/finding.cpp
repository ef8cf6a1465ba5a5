#include "gguf/finding.h"

#include <array>
#include <utility>

namespace packed {
namespace {

// KEY_EMPTY -> "key-empty", kept for the life of the program.
std::string idOf(std::string_view name) {
  std::string id(name);
  for (char& c : id) {
    if (c == '_') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return id;
}

}  // namespace

const std::vector<RuleSpec>& allRules() {
  static const std::vector<std::string> ids = {
#define X(rule, code, reader, spec, llama, text) idOf(#rule),
#include "gguf/rules.inc"
#undef X
  };
  static const std::vector<RuleSpec> rules = {
#define X(rule, code, reader, spec, llama, text) \
  {Rule::rule,                                   \
   ids[static_cast<std::size_t>(Rule::rule)],    \
   ErrorCode::code,                              \
   ReaderPolicy::reader,                         \
   Severity::spec,                               \
   Severity::llama,                              \
   text},
#include "gguf/rules.inc"
#undef X
  };
  return rules;
}

const RuleSpec& specOf(Rule rule) { return allRules()[static_cast<std::size_t>(rule)]; }

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
