// Some rows of a weight, and the way through them: four at a time.
#pragma once

#include "base/assert.h"
#include "base/cache.h"
#include "kernels/simd128.h"

#if defined(PACKED_SIMD)

namespace packed {

// Some rows of a weight. Strides are in bytes.
struct WeightRows {
  const uint8_t* blocks;
  uint64_t rows;
  uint64_t blocksPerRow;
  uint64_t rowStride;
  uint64_t blockStride;
};

// Rows of blocks side by side, before the loop that goes down them.
inline void bringRows(const WeightRows& w) {
  if (w.blocksPerRow == 0) return;
  for (uint64_t r = 0; r < w.rows; ++r) {
    // No further than the last block begins: rows may be of every other block.
    bringIntoCache(w.blocks + r * w.rowStride, (w.blocksPerRow - 1) * w.blockStride + 1);
  }
}

// How many rows FourRows takes in one go, of those that are `left` and at most `most`: whole fours,
// or the last ones, fewer than four.
inline uint64_t rowsInFours(uint64_t left, uint64_t most) {
  const uint64_t rows = left < most ? left : most;
  return rows < 4 ? rows : rows - rows % 4;
}

// Yields the pointers of four rows at a time, block after block. Of fewer than four rows the last
// one is repeated, and its results are not read: settled in the constructor, because `next` runs for
// every four rows of every block.
class FourRows {
 public:
  explicit PACKED_INLINE FourRows(const WeightRows& w)
      : blocks_(w.blocks),
        blockStride_(static_cast<std::size_t>(w.blockStride)),
        rowStride_(static_cast<std::size_t>(w.rowStride)),
        rows_(static_cast<std::ptrdiff_t>(w.rows)) {
    PACKED_ASSERT(w.rows < 4 || w.rows % 4 == 0);
    PACKED_UNROLL
    for (std::size_t r = 1; r < 4; ++r) {
      offset_[r] = offset_[r - 1] + (r < w.rows ? rowStride_ : 0);
    }
  }
  PACKED_INLINE void startBlock(uint64_t b) {
    at_ = blocks_ + static_cast<std::size_t>(b) * blockStride_;
    left_ = rows_;
  }
  bool any() const { return left_ > 0; }
  PACKED_INLINE void next(const uint8_t* rows[4]) {
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) rows[r] = at_ + offset_[r];
    at_ += 4 * rowStride_;
    left_ -= 4;
  }

 private:
  const uint8_t* blocks_;
  std::size_t blockStride_;
  std::size_t rowStride_;
  std::ptrdiff_t rows_;
  std::size_t offset_[4] = {};
  const uint8_t* at_ = nullptr;
  std::ptrdiff_t left_ = 0;
};

}  // namespace packed

#endif
