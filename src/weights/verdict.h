// Verdicts: what every hypothesis is worth once its evidence has been counted, and the diagnosis
// that follows from all of them together. A mistake is named only where no other explains the bytes
// as well:
//
//   one kind explains everything            named; of its forms the one that explains most
//   several kinds do                        undetermined, with all of them as candidates
//   one explains nearly everything, and no  named, with what holds something else besides
//   other comes near
//
// A hypothesis that leaves places open (padding, a header, what was cut off) explains less than it
// seems: blocks of the reference must not stand in its gaps, and where as many blocks are right as
// it explains, the rest may as well be damage.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weights/hypothesis.h"

namespace packed {

struct Verdict {
  const Hypothesis* hypothesis;
  Evidence evidence;
};

// The diagnosis where some of `all` explain everything they know of: `verdicts` are those. Nothing
// without any.
std::optional<Diagnosis> settled(const Observation& seen, std::vector<Verdict> verdicts,
                                 const std::vector<Verdict>& all);

// The diagnosis where one of all `verdicts` and some damage explain the bytes. Nothing otherwise.
std::optional<Diagnosis> nearly(const Observation& seen, const std::vector<Verdict>& verdicts);

// Why several mistakes leave the same bytes here.
std::string doubt(const Observation& seen);

}  // namespace packed
