#include <algorithm>
#include <cstring>

#include "layout/permutation.h"
#include "layout/permutation_size.h"

namespace packed {

Result<StreamingPermutation> StreamingPermutation::start(BlockGrid grid, uint32_t blockBytes,
                                                         BlockOrder order, MutableBytes to) {
  if (!fits(grid, blockBytes, 1, to.size())) return wrongSize(grid, blockBytes, 1, to.size());
  if (blockBytes > sizeof(StreamingPermutation::partial_)) {
    return refuse(ErrorCode::INVALID_ARGUMENT, "blocks of ", blockBytes,
                  " bytes; no encoding has more than ", sizeof(StreamingPermutation::partial_));
  }
  StreamingPermutation stream;
  stream.grid_ = grid;
  stream.blockBytes_ = blockBytes;
  stream.order_ = order;
  stream.to_ = to;
  return stream;
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
  if (window.empty()) return Done{};
  const uint64_t pending = received_ % blockBytes_;
  if (pending != 0) {
    const uint64_t missing = std::min<uint64_t>(blockBytes_ - pending, window.size());
    std::memcpy(partial_ + pending, window.data(), missing);
    received_ += missing;
    window = window.subspan(missing);
    if (received_ % blockBytes_ != 0) return Done{};
    place(received_ / blockBytes_ - 1, 1, partial_);
  }
  const uint64_t whole = window.size() / blockBytes_;
  place(received_ / blockBytes_, whole, window.data());
  const Bytes rest = window.subspan(whole * blockBytes_);
  if (!rest.empty()) std::memcpy(partial_, rest.data(), rest.size());
  received_ += window.size();
  return Done{};
}

Status StreamingPermutation::finish() const {
  if (received_ == to_.size()) return Done{};
  return refuse(ErrorCode::SIZE_MISMATCH, "the rows end ", to_.size() - received_,
                " bytes early: ", received_, " of ", to_.size(), " bytes arrived")
      .wanted(joined(to_.size(), " bytes"), joined(received_, " bytes"));
}

}  // namespace packed
