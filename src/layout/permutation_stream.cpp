#include <algorithm>

#include "layout/permutation.h"
#include "layout/permutation_size.h"

namespace packed {

Result<StreamingPermutation> StreamingPermutation::start(BlockGrid grid, uint32_t blockBytes,
                                                         BlockOrder order, MutableBytes to) {
  if (!fits(grid, blockBytes, 1, to.size())) return wrongSize(grid, blockBytes, 1, to.size());
  if (blockBytes > CutBlocks::kMaxBlockBytes) {
    return refuse(ErrorCode::INVALID_ARGUMENT, "blocks of ", blockBytes,
                  " bytes; no encoding has more than ", CutBlocks::kMaxBlockBytes);
  }
  return StreamingPermutation(grid, blockBytes, order, to);
}

void StreamingPermutation::place(uint64_t flat, uint64_t count, const uint8_t* blocks) {
  const GridStrides target = stridesOf(order_, grid_);
  const GridStrides source = stridesOf(BlockOrder::ROW_MAJOR, grid_);
  while (count > 0) {
    const BlockAt at = blockAt(BlockOrder::ROW_MAJOR, grid_, flat);
    // Whole rows go through the tiles together; the rest of a begun row goes alone.
    const bool rowStart = at.b == 0 && count >= grid_.blocksPerRow;
    const BlockGrid part = rowStart ? BlockGrid{count / grid_.blocksPerRow, grid_.blocksPerRow}
                                    : BlockGrid{1, std::min(count, grid_.blocksPerRow - at.b)};
    permuteBlocks(part, blockBytes_, blocks, source,
                  to_.data() + target.at(at.o, at.b) * blockBytes_, target);
    const uint64_t done = part.out * part.blocksPerRow;
    flat += done;
    count -= done;
    blocks += done * blockBytes_;
  }
}

Status StreamingPermutation::accept(Bytes window) {
  if (window.size() > to_.size() - received_) {
    return wrongSize(grid_, blockBytes_, 1, received_ + window.size());
  }
  received_ += window.size();
  cut_.accept(window, [this](const uint8_t* blocks, uint64_t count) {
    place(placed_, count, blocks);
    placed_ += count;
  });
  return Done{};
}

Status StreamingPermutation::finish() const {
  if (received_ == to_.size()) return Done{};
  return refuse(ErrorCode::SIZE_MISMATCH, "the rows end ", to_.size() - received_,
                " bytes early: ", received_, " of ", to_.size(), " bytes arrived")
      .wanted(joined(to_.size(), " bytes"), joined(received_, " bytes"));
}

}  // namespace packed
