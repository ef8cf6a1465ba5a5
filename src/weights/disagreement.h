// disagreement: are these bytes the weight in the order claimed? Compares whole blocks with a
// reference or a fixture and, when they differ, names the first block in the wrong place.
//
// Of a PLAIN encoding: the first value that differs from the reference.
//
// "First" is in the order of the observed memory: at place `flatIndex` block `belongs` is expected.
// What stands there instead is `found`, when it is exactly one block of the reference.
#pragma once

#include <string>

#include "weights/expectation.h"

namespace packed {

struct Disagreement {
  // The first place, in blocks, and the block that belongs there. At flatIndex == total, with no
  // block, all blocks are right and bytes follow that belong to none.
  uint64_t flatIndex = 0;
  std::optional<BlockAt> belongs;
  std::optional<BlockAt> found;  // the block standing there, when it is exactly one
  uint64_t candidates = 0;       // how many blocks of the reference equal what stands there
  // Places that hold something else than they should, missing ones included.
  uint64_t misplaced = 0;
  uint64_t total = 0;  // blocks of the grid
  uint64_t expectedBytes = 0;
  uint64_t actualBytes = 0;
  std::string message;
};

// Nothing when the bytes agree. Too few or too many bytes are a disagreement, not an error.
// Errors: those of resolve().
Result<std::optional<Disagreement>> disagreement(Bytes observed, Encoding encoding,
                                                 const Expectation& expectation);

}  // namespace packed
