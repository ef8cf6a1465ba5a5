// BlockGrid: the grid that the blocks of one [out, in] weight form. Row o holds `blocksPerRow`
// blocks, which tile the input dimension; block (o, b) covers the inputs
// b*elements .. (b+1)*elements - 1.
#pragma once

#include <cstdint>

namespace packed {

struct BlockGrid {
  uint64_t out = 0;           // rows: outputs of the weight
  uint64_t blocksPerRow = 0;  // inputDim / elements

  friend constexpr bool operator==(const BlockGrid&, const BlockGrid&) = default;
};

// One block's place in its grid.
struct BlockAt {
  uint64_t o = 0;
  uint64_t b = 0;

  friend constexpr bool operator==(const BlockAt&, const BlockAt&) = default;
};

}  // namespace packed
