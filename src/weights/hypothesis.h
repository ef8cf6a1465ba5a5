// Hypothesis: one mistake that may have produced the observed bytes. It is asked window by window
// (a window is a block's worth of observed bytes) whether it foretells what is there.
//
// Families of hypotheses are listed in hypotheses.inc; each looks at the observation and proposes
// those of its mistakes that are possible at all on this grid. Adding one is adding a function
// there.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "weights/diagnosis.h"

namespace packed {

enum class Fit : uint8_t {
  FITS,        // foretold, byte for byte
  MISFIT,      // something else was foretold
  UNKNOWABLE,  // the mistake leaves open what is here: padding, a header, what came before the
               // first byte
};

// In a PLAIN encoding a run of values stands for a block: one value, in a big weight more of them.
struct Observation {
  const Expected& expected;
  Bytes observed;
  Bytes right;  // the expected bytes, in the claimed order
  BlockGrid grid;
  uint32_t blockBytes = 0;
  uint64_t blocks = 0;
  uint32_t run = 1;  // what is counted in one block: itself, or the values of a run

  uint64_t windows() const { return (observed.size() + blockBytes - 1) / blockBytes; }
  uint64_t lengthAt(uint64_t window) const {
    return std::min<uint64_t>(blockBytes, observed.size() - window * blockBytes);
  }
  const uint8_t* seenAt(uint64_t window) const { return observed.data() + window * blockBytes; }
  const uint8_t* rightAt(uint64_t flat) const { return right.data() + flat * blockBytes; }
  const uint8_t* referenceAt(BlockAt at) const {
    return expected.reference.data() +
           stridesOf(expected.referenceOrder, grid).at(at.o, at.b) * blockBytes;
  }
  bool sameSize() const { return observed.size() == right.size(); }
  bool plain() const { return !specOf(expected.encoding).blocked(); }
  std::string_view noun() const { return plain() ? "value" : "block"; }
  // Blocks, or values, in so many windows.
  uint64_t countIn(uint64_t windowCount) const {
    const uint32_t each = blockBytes / run;
    return std::min<uint64_t>(windowCount * run, (observed.size() + each - 1) / each);
  }
};

// How many values of a PLAIN weight are taken together: a divisor of its rows.
uint32_t runOf(BlockGrid values);

struct Hypothesis {
  DiagnosisKind kind = DiagnosisKind::UNDETERMINED;
  std::string variant;
  std::string fix;
  std::function<Fit(uint64_t window)> at;
  // Windows are asked so far apart, then the ones next to those: in the sequence in which what they
  // are compared with lies in memory.
  uint64_t stride = 1;
  // Which block of the reference it foretells, where it foretells whole blocks.
  std::function<BlockAt(uint64_t window)> block = nullptr;
};

struct Evidence {
  uint64_t fits = 0;
  uint64_t misfits = 0;
  uint64_t unknowable = 0;

  uint64_t knowable() const { return fits + misfits; }
  // Everything knowable is foretold, and that is at least half of what is there, or as much as the
  // reference has: then it does not matter how much stands around it.
  bool whole(uint64_t reference) const {
    return misfits == 0 && (fits >= unknowable || fits >= reference);
  }
  void count(Fit fit) {
    (fit == Fit::FITS ? fits : fit == Fit::MISFIT ? misfits : unknowable) += 1;
  }
};

// A few windows spread over the bytes are asked first; a hypothesis that fails most of them is not
// pursued.
Evidence evidenceFor(const Observation& seen, const Hypothesis& hypothesis);

using Hypotheses = std::vector<Hypothesis>;

#define X(family, what) void family(const Observation& seen, Hypotheses& to);
#include "weights/hypotheses.inc"
#undef X

}  // namespace packed
