// The permutation of blocks: the one implementation of "from order to order". Blocks move whole,
// their bytes are never looked at.
//
// Three forms of one conversion:
//   permuteBlocks          out of place, from any strides to any strides, tiled
//   permuteBlocksInPlace   no second buffer: scratch memory of one bit per block, or of a few rows
//   StreamingPermutation   rows arrive ROW_MAJOR in windows while a file is read; peak memory is
//                          the destination plus one window
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "layout/block_order.h"
#include "layout/cut_blocks.h"

namespace packed {

// Copies block (o, b) of the grid from `from + fromStrides.at(o, b) * blockBytes` to
// `to + toStrides.at(o, b) * blockBytes`. The two must not overlap; every place that the strides
// reach must exist.
void permuteBlocks(BlockGrid grid, uint32_t blockBytes, const uint8_t* from,
                   GridStrides fromStrides, uint8_t* to, GridStrides toStrides);

// What permuteBlocksInPlace allocates meanwhile: a bit per block and a block; from 256 rows on
// a few rows, at most a 128th of the grid, and the fewer bits.
uint64_t inPlaceScratchBytes(BlockGrid grid, uint32_t blockBytes);

// Reorders a gap-free grid, or each of a stack of `slices` grids, inside its own bytes.
// OUT_OF_MEMORY when the scratch memory cannot be had: it is had before the first block moves, so
// no byte has changed then. SIZE_MISMATCH when `bytes` is not exactly the stack.
Status permuteBlocksInPlace(BlockGrid grid, uint32_t blockBytes, MutableBytes bytes,
                            BlockOrder from, BlockOrder to, uint64_t slices = 1);

// Accepts the bytes of a ROW_MAJOR grid in sequence, in windows of any size (a window may end
// inside a block), and places each block where `order` wants it.
class StreamingPermutation {
 public:
  // `to` must hold exactly the grid: SIZE_MISMATCH otherwise.
  static Result<StreamingPermutation> start(BlockGrid grid, uint32_t blockBytes, BlockOrder order,
                                            MutableBytes to);

  // The next bytes of the file. SIZE_MISMATCH when more arrive than the grid holds.
  Status accept(Bytes window);

  // SIZE_MISMATCH when bytes are still missing, naming how many.
  Status finish() const;

 private:
  StreamingPermutation(BlockGrid grid, uint32_t blockBytes, BlockOrder order, MutableBytes to)
      : grid_(grid), blockBytes_(blockBytes), order_(order), to_(to), cut_(blockBytes) {}
  void place(uint64_t flat, uint64_t count, const uint8_t* blocks);

  BlockGrid grid_;
  uint32_t blockBytes_;
  BlockOrder order_;
  MutableBytes to_;
  CutBlocks cut_;
  uint64_t placed_ = 0;  // blocks
  uint64_t received_ = 0;
};

}  // namespace packed
