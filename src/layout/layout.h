// Layout: where the blocks of a value are. A value is a stack of block grids (rank 2: one grid;
// rank 3: [experts, out, in]; rank 4: one more axis of stacking); the layout gives each axis a size
// and a stride in blocks, an offset in blocks, and the order in which the memory it was made over
// is flattened.
//
// Order is expressed in the strides and never in a branch, so narrow, slice and swapAxes work the
// same in either order. A layout is a small value; making another one never touches a byte.
//
// `shape` is always in values. The blocked axis is the last one, unless the axes have been swapped.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "layout/block_order.h"

namespace packed {

class Layout {
 public:
  static constexpr std::size_t kMaxRank = 4;

  // A dense layout of `shape` = [.., out, in] (rank 1 to 4; rank 1 is one row) whose rows hold
  // blocks of `elements` values. Errors: RANK_UNSUPPORTED, NOT_BLOCK_DIVISIBLE, SIZE_OVERFLOW.
  static Result<Layout> dense(std::span<const uint64_t> shape, uint32_t elements, BlockOrder order);

  std::size_t rank() const { return rank_; }
  std::vector<uint64_t> shape() const;
  BlockOrder order() const { return order_; }
  uint32_t elements() const { return elements_; }
  uint64_t offset() const { return offset_; }  // in blocks

  // The grid of one slice, as [out, in] whatever way the axes are turned.
  BlockGrid grid() const { return {axes_[2].size, axes_[3].size}; }
  GridStrides strides() const { return {axes_[2].stride, axes_[3].stride}; }
  uint64_t inputDim() const { return axes_[3].size * elements_; }
  uint64_t sliceCount() const { return axes_[0].size * axes_[1].size; }
  uint64_t blockCount() const { return sliceCount() * grid().out * grid().blocksPerRow; }
  bool axesSwapped() const { return swapped_; }

  // First block of slice s (0 <= s < sliceCount()), and place of its block (o, b), in blocks.
  uint64_t sliceStart(uint64_t s) const;
  uint64_t placeOf(uint64_t s, uint64_t o, uint64_t b) const;

  // Whether the blocks of every slice fill their memory without gaps in the order the layout names:
  // what a kernel that ignores strides needs. A narrowed or swapped layout is not.
  bool gapFree() const;

  // The part `from .. from + size` of an axis of the shape. Along the blocked axis both must be
  // whole blocks. Errors: OUT_OF_RANGE, NOT_BLOCK_ALIGNED.
  Result<Layout> narrow(std::size_t axis, uint64_t from, uint64_t size) const;

  // Every `step`-th index of an axis. Along the blocked axis only a step of 1 exists: values inside
  // a block cannot be skipped without requantization. Errors: OUT_OF_RANGE (axis), INVALID_ARGUMENT
  // (step 0), NOT_BLOCK_ALIGNED, SIZE_OVERFLOW (a stride that does not fit 64 bits).
  Result<Layout> everyNth(std::size_t axis, uint64_t step) const;

  // One index of the first axis: rank 3 or 4 to rank 2 or 3. Errors: RANK_UNSUPPORTED,
  // OUT_OF_RANGE.
  Result<Layout> slice(uint64_t index) const;

  // The last two axes read in the other order; a way of looking, no byte moves. RANK_UNSUPPORTED
  // below rank 2.
  Result<Layout> swapAxes() const;

  // The same blocks in the same memory under another shape of as many values. In ROW_MAJOR rows may
  // be joined or parted; an INPUT_BLOCK_MAJOR grid means something only at its own size, so only
  // the stack around it may be regrouped. Errors: RESHAPE_REFUSED, SIZE_MISMATCH, those of dense.
  Result<Layout> reshape(std::span<const uint64_t> shape) const;

  // Whether both see the same blocks of the same memory in the same way.
  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  struct Axis {
    uint64_t size = 1;
    uint64_t stride = 0;
    friend bool operator==(const Axis&, const Axis&) = default;
  };

  std::size_t axisIndex(std::size_t axis) const;

  // [stack, stack, out, blocks]; unused leading axes have size 1
  std::array<Axis, kMaxRank> axes_{};
  std::size_t rank_ = 0;
  uint32_t elements_ = 1;
  BlockOrder order_ = BlockOrder::ROW_MAJOR;
  uint64_t offset_ = 0;
  bool swapped_ = false;
};

}  // namespace packed
