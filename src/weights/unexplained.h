// What can be said of bytes that no known mistake explains: parts of the reference in some other
// arrangement, its values rounded, or bytes that it holds nowhere.
#pragma once

#include "weights/hypothesis.h"

namespace packed {

// "Q4_0, 5 x 3 blocks, ROW_MAJOR expected: "
std::string introduction(const Observation& seen);

// Why no mistake can be told from another on a reference of so little content; empty when it has
// enough.
std::string_view monotonyOf(const Observation& seen);

Diagnosis undetermined(const Observation& seen, std::string_view reason);

// FOREIGN only where parts of the bytes stand nowhere in the reference, at no distance, and are not
// its bytes in another sequence; otherwise UNDETERMINED. OUT_OF_MEMORY.
Result<Diagnosis> unexplained(const Observation& seen, const Hypotheses& hypotheses);

}  // namespace packed
