// FindingList: findings as they are made, for one profile, with thousands of equal ones summarised.
#pragma once

#include <array>
#include <vector>

#include "gguf/finding.h"

namespace packed {

// So many findings of one rule are listed one by one; the rest is counted in one more.
inline constexpr uint64_t kListedPerRule = 20;

class FindingList {
 public:
  explicit FindingList(Profile profile) : profile_(profile) {}

  void add(Finding finding);

  Profile profile() const { return profile_; }
  uint64_t countOf(Rule rule) const { return counts_[static_cast<std::size_t>(rule)]; }
  bool hasErrors() const { return errors_ > 0; }

  // Everything added so far, worst severity first, then in the order of the file; after the
  // findings of a rule that has more than kListedPerRule stands the one that counts the others.
  std::vector<Finding> take() &&;

 private:
  static constexpr std::size_t kRules = 0
#define X(...) +1
#include "gguf/rules.inc"
#undef X
      ;

  Profile profile_;
  std::vector<Finding> listed_;
  std::array<uint64_t, kRules> counts_{};
  uint64_t errors_ = 0;
};

}  // namespace packed
