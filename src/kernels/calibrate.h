// What a machine can do at most, measured in the same run as the kernels: goals are shares of
// these, so that they hold on slower machines and beside busy neighbours.
#pragma once

#include <cstdint>

namespace packed {

// The engine's best integer dot product and an addition, in registers only, `iterations` times: the
// multiply-adds done. Time it. 0 in a scalar binary.
uint64_t runDotCeiling(uint32_t iterations);

// Vector additions beside each other, in registers only: `iterations` times twelve, which is
// returned. Time it. 0 in a scalar binary.
uint64_t runAddCeiling(uint32_t iterations);

// Reads the bytes once, 64 at a time, and returns their exclusive or, which nobody needs.
uint32_t runStreamRead(const uint8_t* bytes, uint64_t count);

}  // namespace packed
