// Runs the validator over a file in memory and answers questions about what it found.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "gguf/validator.h"

namespace packed::test {

inline ValidationReport check(const std::vector<uint8_t>& file, ValidatorOptions options = {},
                              uint64_t window = UINT64_MAX) {
  Validator validator(file.size(), std::move(options));
  while (!validator.done()) {
    const ByteRange wanted = validator.wanted();
    // A copy of exactly this piece, so that the sanitizer sees any read beyond it.
    const auto from = file.begin() + static_cast<std::ptrdiff_t>(wanted.offset);
    const std::vector<uint8_t> piece(
        from, from + static_cast<std::ptrdiff_t>(std::min(wanted.length, window)));
    if (piece.empty()) break;
    validator.feed(piece);
  }
  return std::move(validator).report();
}

// "error", "warning", or "ok" when there is nothing worse than information.
inline std::string worst(const ValidationReport& report) {
  if (report.countOf(Severity::ERROR) > 0) return "error";
  return report.countOf(Severity::WARNING) > 0 ? "warning" : "ok";
}

inline const Finding* find(const ValidationReport& report, Rule rule) {
  const auto found = std::ranges::find(report.findings, rule, &Finding::rule);
  return found == report.findings.end() ? nullptr : &*found;
}

inline bool has(const ValidationReport& report, Rule rule) { return find(report, rule) != nullptr; }

inline std::string messageOf(const ValidationReport& report, Rule rule) {
  const Finding* found = find(report, rule);
  return found ? found->message : "";
}

inline bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace packed::test
