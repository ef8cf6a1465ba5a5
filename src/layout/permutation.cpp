#include "layout/permutation.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "base/checked.h"

namespace packed {
namespace {

// A tile whose source and destination lines both stay in the first-level cache: along one side the
// reads are contiguous, along the other the writes.
constexpr uint64_t kTileRows = 64;
constexpr uint64_t kTileBlocks = 16;

// Copies one block with 16-byte moves, the last one overlapping the one before: blocks are 17 to
// 292 bytes and a call to memcpy for each costs more than the copy.
inline void copyBlock(uint8_t* to, const uint8_t* from, uint32_t size) {
  if (size < 16) {
    std::memcpy(to, from, size);
    return;
  }
  for (uint32_t i = 0; i + 16 <= size; i += 16) std::memcpy(to + i, from + i, 16);
  std::memcpy(to + size - 16, from + size - 16, 16);
}

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

// Reorders one grid. Each cycle of the permutation is walked once: the block that belongs at
// `place` is fetched there, which frees its own place for the next one. `moved` has a zero bit per
// block, `held` room for one.
void walkCycles(BlockGrid grid, uint32_t blockBytes, uint8_t* bytes, BlockOrder from, BlockOrder to,
                uint8_t* moved, uint8_t* held) {
  for (uint64_t start = 0; start < grid.out * grid.blocksPerRow; ++start) {
    if (moved[start / 8] >> (start % 8) & 1) continue;
    std::memcpy(held, bytes + start * blockBytes, blockBytes);
    uint64_t place = start;
    for (;;) {
      moved[place / 8] = static_cast<uint8_t>(moved[place / 8] | 1u << (place % 8));
      const BlockAt belongs = blockAt(to, grid, place);
      const uint64_t source = flatIndex(from, grid, belongs.o, belongs.b);
      if (source == start) break;
      copyBlock(bytes + place * blockBytes, bytes + source * blockBytes, blockBytes);
      place = source;
    }
    std::memcpy(bytes + place * blockBytes, held, blockBytes);
  }
}

}  // namespace

void permuteBlocks(BlockGrid grid, uint32_t blockBytes, const uint8_t* from,
                   GridStrides fromStrides, uint8_t* to, GridStrides toStrides) {
  for (uint64_t o0 = 0; o0 < grid.out; o0 += kTileRows) {
    const uint64_t o1 = std::min(grid.out, o0 + kTileRows);
    for (uint64_t b0 = 0; b0 < grid.blocksPerRow; b0 += kTileBlocks) {
      const uint64_t b1 = std::min(grid.blocksPerRow, b0 + kTileBlocks);
      for (uint64_t b = b0; b < b1; ++b) {
        for (uint64_t o = o0; o < o1; ++o) {
          copyBlock(to + toStrides.at(o, b) * blockBytes, from + fromStrides.at(o, b) * blockBytes,
                    blockBytes);
        }
      }
    }
  }
}

Status permuteBlocksInPlace(BlockGrid grid, uint32_t blockBytes, MutableBytes bytes,
                            BlockOrder from, BlockOrder to, uint64_t slices) {
  if (!fits(grid, blockBytes, slices, bytes.size())) {
    return wrongSize(grid, blockBytes, slices, bytes.size());
  }
  if (from == to || ordersCoincide(grid)) return Done{};
  const uint64_t blocks = grid.out * grid.blocksPerRow;
  const uint64_t scratch = blocks / 8 + 1;
  std::unique_ptr<uint8_t[]> moved(new (std::nothrow) uint8_t[static_cast<std::size_t>(scratch)]);
  std::unique_ptr<uint8_t[]> held(new (std::nothrow) uint8_t[blockBytes]);
  if (!moved || !held) {
    return refuse(ErrorCode::OUT_OF_MEMORY, "no memory for the ", scratch,
                  " bytes that an in-place relayout marks its progress in");
  }
  for (uint64_t s = 0; s < slices; ++s) {
    std::memset(moved.get(), 0, scratch);
    walkCycles(grid, blockBytes, bytes.data() + s * blocks * blockBytes, from, to, moved.get(),
               held.get());
  }
  return Done{};
}

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
