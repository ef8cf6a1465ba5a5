// A mistake of somebody who quantizes or rounds in another way besides: no byte proves it, values
// do. Blocks are decoded with the mistake undone and held against those that belong there; a
// mistake is named where nearly all are near, most would not be otherwise, and no other kind comes
// close.
#pragma once

#include <optional>

#include "weights/hypothesis.h"

namespace packed {

// Nothing where none is near; UNDETERMINED, with the candidates, where several kinds are.
std::optional<Diagnosis> namedByValues(const Observation& seen, const Hypotheses& hypotheses,
                                       std::string_view counts);

}  // namespace packed
