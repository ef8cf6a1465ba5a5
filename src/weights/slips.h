// Bytes that slipped in or got lost on the way: what stands in front of them is right, and all that
// follows is as far from its place as they are long.
#pragma once

#include <optional>

#include "weights/hypothesis.h"

namespace packed {

// SHIFTED where one such place explains every block that is there, or a byte 13 before each byte 10
// does.
std::optional<Diagnosis> slipped(const Observation& seen);

}  // namespace packed
