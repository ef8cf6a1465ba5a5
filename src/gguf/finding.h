// Finding: one rule of rules.inc that a file breaks, and where. The parser and the validator report
// into the same list; the reader turns the first finding it must refuse into an Error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace packed {

enum class Rule : uint8_t {
#define X(rule, code, reader, spec, llama, text) rule,
#include "gguf/rules.inc"
#undef X
};

enum class Severity : uint8_t { INFO, WARNING, ERROR };
enum class Profile : uint8_t { SPEC, LLAMA };
enum class ReaderPolicy : uint8_t { STOPS, REFUSED, READS };

struct RuleSpec {
  Rule rule;
  std::string_view id;  // "key-empty"
  ErrorCode code;
  ReaderPolicy reader;
  Severity spec;
  Severity llama;
  std::string_view text;

  Severity severity(Profile profile) const { return profile == Profile::SPEC ? spec : llama; }
};

// In the order of rules.inc.
std::span<const RuleSpec> allRules();
const RuleSpec& specOf(Rule rule);
std::string_view nameOf(Severity severity);  // "error", "warning", "info"

struct Finding {
  // Out of line, as on Error.
  Finding();
  Finding(const Finding&);
  Finding(Finding&&) noexcept;
  Finding& operator=(const Finding&);
  Finding& operator=(Finding&&) noexcept;
  ~Finding();

  Rule rule = Rule::EMPTY_FILE;
  std::string message;             // what, where, what to do
  std::optional<uint64_t> offset;  // absolute byte offset in the file
  uint64_t length = 0;             // bytes concerned from there, where they can be counted
  std::string tensor;
  std::optional<uint64_t> o;  // row of the tensor
  std::optional<uint64_t> b;  // block in that row
  uint64_t count = 1;         // equal findings that this one stands for
  std::string expected;
  std::string actual;

  // Fluent setters, as on Error.
  Finding at(uint64_t byteOffset, uint64_t bytes = 0) &&;
  Finding in(std::string_view tensorName) &&;
  Finding wanted(std::string_view expectedText, std::string_view actualText) &&;
};

template <class... Parts>
Finding finding(Rule rule, const Parts&... parts) {
  Finding made;
  made.rule = rule;
  made.message = joined(parts...);
  return made;
}

// The refusal that a finding is to somebody who only wants to read the file.
Error toError(const Finding& finding);

}  // namespace packed
