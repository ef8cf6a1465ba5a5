#include "gguf/finding_list.h"

#include <algorithm>
#include <utility>

#include "gguf/utf8.h"

namespace packed {

void FindingList::add(Finding finding) {
  const RuleSpec& rule = specOf(finding.rule);
  if (rule.severity(profile_) == Severity::ERROR) ++errors_;
  if (++counts_[static_cast<std::size_t>(finding.rule)] <= kListedPerRule) {
    listed_.push_back(std::move(finding));
  }
}

std::vector<Finding> FindingList::take() && {
  for (const RuleSpec& rule : allRules()) {
    const uint64_t more = countOf(rule.rule) - std::min(countOf(rule.rule), kListedPerRule);
    if (more == 0) continue;
    Finding rest = finding(rule.rule, "and ", more, " more of the rule ", rule.id, ": ", rule.text);
    rest.count = more;
    listed_.push_back(std::move(rest));
  }
  const auto key = [&](const Finding& one) {
    const auto severity = static_cast<int>(specOf(one.rule).severity(profile_));
    return std::pair(-severity, one.offset.value_or(UINT64_MAX));
  };
  std::ranges::stable_sort(listed_, {}, key);
  return std::move(listed_);
}

}  // namespace packed
