// What the forms of the permutation refuse: bytes that are not the grid.
#pragma once

#include "base/result.h"
#include "layout/block_order.h"

namespace packed {

// Whether `size` bytes are `slices` gap-free grids.
bool fits(BlockGrid grid, uint32_t blockBytes, uint64_t slices, uint64_t size);

// SIZE_MISMATCH, with what they take.
Error wrongSize(BlockGrid grid, uint32_t blockBytes, uint64_t slices, uint64_t actual);

}  // namespace packed
