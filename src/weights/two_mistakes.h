// Two mistakes that have met: one inside of each block (codes in another sequence, scales in the
// other byte order, ..), and another there, or one that moved whole blocks; or two that moved whole
// blocks (rows exchanged, and the relayout forgotten). They are named where they explain every block
// together, and no others do.
#pragma once

#include <optional>

#include "weights/hypothesis.h"

namespace packed {

// Its kind is that of what moved the blocks, if anything has, and last; the sentence names both, the
// fix undoes one after the other.
std::optional<Diagnosis> twoMistakes(const Observation& seen, const Hypotheses& hypotheses);

}  // namespace packed
