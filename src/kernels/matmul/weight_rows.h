// Some rows of a weight, and the way through them: four at a time.
#pragma once

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
  for (uint64_t r = 0; r < w.rows; ++r) {
    bringIntoCache(w.blocks + r * w.rowStride, w.blocksPerRow * w.blockStride);
  }
}

// The pointers of the next four rows; past the end they stay on the last row, whose results nobody
// reads.
class FourRows {
 public:
  FourRows(const WeightRows& w, uint64_t b)
      : at_(w.blocks + b * w.blockStride), stride_(w.rowStride), left_(w.rows) {
    for (uint64_t r = 0; r < 4; ++r) offset_[r] = r * stride_;
  }
  bool any() const { return left_ > 0; }
  PACKED_INLINE void next(const uint8_t* rows[4]) {
    if (left_ < 4) {
      PACKED_UNROLL
      for (uint64_t r = 1; r < 4; ++r) offset_[r] = r < left_ ? offset_[r] : offset_[r - 1];
    }
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) rows[r] = at_ + offset_[r];
    at_ += 4 * stride_;
    left_ -= left_ < 4 ? left_ : 4;
  }

 private:
  const uint8_t* at_;
  uint64_t stride_;
  uint64_t left_;
  uint64_t offset_[4];
};

}  // namespace packed

#endif
