// How much of the observed bytes a hypothesis foretells.
#include "weights/block_match.h"
#include "weights/hypothesis.h"
#include "weights/sample.h"

namespace packed {
namespace {

constexpr uint64_t kFirst = 64;

// Window after window in the hypothesis's sequence, until `visit` says no.
template <class Visit>
bool forWindows(const Observation& seen, const Hypothesis& hypothesis, Visit visit) {
  const uint64_t windows = seen.windows();
  const uint64_t line = hypothesis.line > seen.run ? hypothesis.line : seen.count();
  const auto firstOf = [&](uint64_t l) { return (l * line + seen.run - 1) / seen.run; };
  for (uint64_t along = 0; along * seen.run < line; ++along) {
    for (uint64_t l = 0; l * line < seen.count(); ++l) {
      const uint64_t window = firstOf(l) + along;
      if (window < std::min(windows, firstOf(l + 1)) && !visit(window)) return false;
    }
  }
  return true;
}

// Counts windows one by one.
class Count {
 public:
  Count(const Observation& seen, const Hypothesis& hypothesis)
      : seen_(seen), hypothesis_(hypothesis) {}

  void add(uint64_t window) {
    const Fit fit = hypothesis_.at(window);
    evidence.count(fit, seen_.countAt(window));
    if (fit != Fit::FITS || !evidence.alike) return;
    const uint64_t length = seen_.lengthAt(window);
    evidence.alike =
        !last_ || (length == lastLength_ && sameBytes(last_, seen_.seenAt(window), length));
    last_ = seen_.seenAt(window);
    lastLength_ = length;
  }

  Evidence evidence;

 private:
  const Observation& seen_;
  const Hypothesis& hypothesis_;
  const uint8_t* last_ = nullptr;
  uint64_t lastLength_ = 0;
};

}  // namespace

uint64_t firstWrong(const Observation& seen) {
  const uint64_t common = std::min(seen.observed.size(), seen.right.size());
  uint64_t byte = seen.telling.empty() ? common : seen.telling[0] * seen.windowBytes();
  while (byte < common && seen.observed[byte] == seen.right[byte]) ++byte;
  return byte < seen.right.size() ? byte / seen.blockBytes : 0;
}

Evidence wholeEvidence(const Observation& seen, const Hypothesis& hypothesis) {
  Count count(seen, hypothesis);
  forWindows(seen, hypothesis, [&](uint64_t window) {
    count.add(window);
    return true;
  });
  return count.evidence;
}

Evidence probed(const Observation& seen, const Hypothesis& hypothesis) {
  const uint64_t windows = seen.windows();
  if (windows <= kMostSamples) return wholeEvidence(seen, hypothesis);
  Evidence probes;
  for (uint64_t i = 0; i < kMostSamples; ++i) {
    if (i == kFirst && probes.misfits * 2 > probes.knowable()) break;
    const uint64_t window = sampleAt(i, windows);
    probes.count(hypothesis.at(window), seen.countAt(window));
  }
  const double share = static_cast<double>(seen.count()) /
                       static_cast<double>(probes.knowable() + probes.unknowable);
  for (uint64_t* count : {&probes.fits, &probes.misfits, &probes.unknowable}) {
    *count = static_cast<uint64_t>(static_cast<double>(*count) * share);
  }
  // What is wrong fails where the bytes are wrong, however few they are.
  for (std::size_t i = 0; i < seen.telling.size() && probes.misfits == 0; ++i) {
    probes.misfits = hypothesis.at(seen.telling[i]) == Fit::MISFIT;
  }
  return probes;
}

Evidence evidenceFor(const Observation& seen, const Hypothesis& hypothesis) {
  const Evidence probes = probed(seen, hypothesis);
  if (probes.misfits > 0 || seen.windows() <= kMostSamples) return probes;
  Count count(seen, hypothesis);
  const bool holds = forWindows(seen, hypothesis, [&](uint64_t window) {
    count.add(window);
    return count.evidence.misfits == 0;
  });
  return holds ? count.evidence : Evidence{probes.fits, 1, probes.unknowable};
}

std::vector<uint64_t> divisorsOf(uint64_t number) {
  std::vector<uint64_t> divisors;
  for (uint64_t d = 1; d <= number / d; ++d) {
    if (number % d == 0) divisors.push_back(d);
  }
  for (std::size_t i = divisors.size(); number > 0 && i-- > 0;) {
    const uint64_t other = number / divisors[i];
    if (other != divisors[i]) divisors.push_back(other);
  }
  return divisors;
}

}  // namespace packed
