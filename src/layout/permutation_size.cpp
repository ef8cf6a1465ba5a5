#include "layout/permutation_size.h"

#include "base/checked.h"

namespace packed {

Error wrongSize(BlockGrid grid, uint32_t blockBytes, uint64_t slices, uint64_t actual) {
  const auto size = checkedProduct(grid.out, grid.blocksPerRow, blockBytes, slices);
  return refuse(ErrorCode::SIZE_MISMATCH, slices == 1 ? "a grid of " : joined(slices, " grids of "),
                grid.out, " x ", grid.blocksPerRow, " blocks of ", blockBytes,
                " bytes does not take ", actual, " bytes")
      .wanted(size ? joined(*size, " bytes") : "more than 64 bits", joined(actual, " bytes"));
}

bool fits(BlockGrid grid, uint32_t blockBytes, uint64_t slices, uint64_t size) {
  const auto wanted = checkedProduct(grid.out, grid.blocksPerRow, blockBytes, slices);
  return wanted && *wanted == size;
}

}  // namespace packed
