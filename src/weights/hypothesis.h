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

// In a PLAIN encoding a value stands for a block, and a window of a big weight is a run of values,
// whatever rows they are of: the last one may be shorter.
constexpr uint32_t kRun = 64;

inline constexpr uint32_t kMaxBlockBytes = std::max({
#define X(name, ggmlType, elements, bytes, group, kind) uint32_t{bytes},
#include "encoding/encodings.inc"
#undef X
});

struct Observation {
  const Expected& expected;
  Bytes observed;
  Bytes right;  // the expected bytes, in the claimed order
  BlockGrid grid;
  uint32_t blockBytes = 0;
  uint64_t blocks = 0;
  uint32_t run = 1;           // blocks or values of a window
  uint64_t alreadyRight = 0;  // blocks or values that are where they belong
  bool sameByteSums = false;  // unless this holds, they are not the right bytes in another sequence
  std::vector<uint64_t> telling = {};  // windows that are wrong: the first few and the last

  uint64_t windowBytes() const { return uint64_t{blockBytes} * run; }
  uint64_t windows() const { return (observed.size() + windowBytes() - 1) / windowBytes(); }
  uint64_t lengthAt(uint64_t window) const {
    return std::min<uint64_t>(windowBytes(), observed.size() - window * windowBytes());
  }
  // Blocks, or values, that a window holds or begins.
  uint64_t countAt(uint64_t window) const {
    return (lengthAt(window) + blockBytes - 1) / blockBytes;
  }
  uint64_t count() const { return (observed.size() + blockBytes - 1) / blockBytes; }
  const uint8_t* seenAt(uint64_t window) const { return observed.data() + window * windowBytes(); }
  const uint8_t* rightAt(uint64_t window) const { return right.data() + window * windowBytes(); }
  const uint8_t* referenceAt(BlockAt at) const {
    return expected.reference.data() +
           stridesOf(expected.referenceOrder, grid).at(at.o, at.b) * blockBytes;
  }
  bool sameSize() const { return observed.size() == right.size(); }
  bool plain() const { return !specOf(expected.encoding).blocked(); }
  std::string_view noun() const { return plain() ? "value" : "block"; }
};

struct Hypothesis {
  DiagnosisKind kind = DiagnosisKind::UNDETERMINED;
  std::string variant;
  std::string fix;
  std::function<Fit(uint64_t window)> at;
  // Blocks, or values, after which the next one of the reference's memory follows: windows so far
  // apart are asked in turn. 0 where they simply follow each other.
  uint64_t line = 0;
  // Which block, or value, of the reference it foretells at a flat place, where it moves whole
  // ones.
  std::function<BlockAt(uint64_t flat)> block = nullptr;
  // A block with the mistake undone, where it stays inside of blocks.
  std::function<void(const uint8_t* found, uint8_t* to)> undo = nullptr;
  // It rests on a single place. Bytes that slipped in there once would look the same, so it is
  // accepted only if it explains everything.
  bool ofOnePlace = false;
};

// Counted in blocks, or values.
struct Evidence {
  uint64_t fits = 0;
  uint64_t misfits = 0;
  uint64_t unknowable = 0;
  bool alike = true;  // what fits is the same again and again, as padding is

  uint64_t knowable() const { return fits + misfits; }
  // Everything knowable is foretold, and that is at least half of what is there, or as much as the
  // reference has: then it does not matter how much stands around it. (Of a few blocks one may be
  // all that can be known.)
  bool whole(uint64_t reference) const {
    if (alike && unknowable > 0 && fits >= 4) return false;
    return misfits == 0 && (fits >= unknowable || fits >= reference);
  }
  void count(Fit fit, uint64_t times) {
    (fit == Fit::FITS ? fits : fit == Fit::MISFIT ? misfits : unknowable) += times;
  }
};

// The flat place of the first block, or value, that is wrong or missing; 0 where none is.
uint64_t firstWrong(const Observation& seen);

// An estimate, from a sample of many windows and from some of those that are wrong.
Evidence probed(const Observation& seen, const Hypothesis& hypothesis);

// Samples first where windows are many. If no sample misfits, every window is asked until one does;
// else the counts are extrapolated, and `misfits` is at least 1.
Evidence evidenceFor(const Observation& seen, const Hypothesis& hypothesis);

// Every window is asked.
Evidence wholeEvidence(const Observation& seen, const Hypothesis& hypothesis);

// Ascending.
std::vector<uint64_t> divisorsOf(uint64_t number);

using Hypotheses = std::vector<Hypothesis>;

#define X(family, what) void family(const Observation& seen, Hypotheses& to);
#include "weights/hypotheses.inc"
#undef X

}  // namespace packed
