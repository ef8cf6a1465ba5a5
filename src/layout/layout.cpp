#include "layout/layout.h"

#include "base/checked.h"

namespace packed {
namespace {

constexpr std::size_t kOut = 2;
constexpr std::size_t kBlocks = 3;

Error badAxis(std::size_t axis, std::size_t rank) {
  return refuse(ErrorCode::OUT_OF_RANGE, "axis ", axis, " of a value of rank ", rank,
                "; axes count from 0");
}

}  // namespace

Result<Layout> Layout::dense(std::span<const uint64_t> shape, uint32_t elements, BlockOrder order) {
  if (shape.empty() || shape.size() > kMaxRank) {
    return refuse(ErrorCode::RANK_UNSUPPORTED, "a shape of ", shape.size(),
                  " dimensions; 1 to 4 are supported: [in], [out, in], [experts, out, in], ..");
  }
  const uint64_t inputDim = shape.back();
  if (inputDim % elements != 0) {
    return refuse(ErrorCode::NOT_BLOCK_DIVISIBLE, "row length ", inputDim, " = ",
                  inputDim / elements, "*", elements, " + ", inputDim % elements,
                  " is not a whole number of blocks of ", elements, " values")
        .wanted(joined("a multiple of ", elements), joined(inputDim));
  }
  Layout layout;
  layout.rank_ = shape.size();
  layout.elements_ = elements;
  layout.order_ = order;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    layout.axes_[kMaxRank - shape.size() + i].size = shape[i];
  }
  layout.axes_[kBlocks].size = inputDim / elements;

  // Only the counts of values can overflow: a block holds at least one.
  const auto values =
      checkedProduct(layout.axes_[0].size, layout.axes_[1].size, layout.axes_[kOut].size, inputDim);
  const auto gridBlocks = checkedMul(layout.axes_[kOut].size, layout.axes_[kBlocks].size);
  const auto stackBlocks = gridBlocks ? checkedMul(*gridBlocks, layout.axes_[1].size) : gridBlocks;
  if (!values || !stackBlocks) {
    return refuse(ErrorCode::SIZE_OVERFLOW, "the number of values does not fit 64 bits");
  }
  const GridStrides strides = stridesOf(order, layout.grid());
  layout.axes_[kBlocks].stride = strides.block;
  layout.axes_[kOut].stride = strides.row;
  layout.axes_[1].stride = *gridBlocks;
  layout.axes_[0].stride = *stackBlocks;
  return layout;
}

std::vector<uint64_t> Layout::shape() const {
  std::vector<uint64_t> sizes;
  for (std::size_t i = kMaxRank - rank_; i < kMaxRank; ++i) {
    sizes.push_back(i == kBlocks ? inputDim() : axes_[i].size);
  }
  if (swapped_) std::swap(sizes[rank_ - 1], sizes[rank_ - 2]);
  return sizes;
}

uint64_t Layout::sliceStart(uint64_t s) const {
  return offset_ + s / axes_[1].size * axes_[0].stride + s % axes_[1].size * axes_[1].stride;
}

uint64_t Layout::placeOf(uint64_t s, uint64_t o, uint64_t b) const {
  return sliceStart(s) + strides().at(o, b);
}

bool Layout::gapFree() const {
  if (swapped_) return false;
  const BlockGrid size = grid();
  const GridStrides wanted = stridesOf(order_, size);
  // A stride along an axis of one index is never taken, so it cannot make a gap.
  const bool grids = (size.out <= 1 || strides().row == wanted.row) &&
                     (size.blocksPerRow <= 1 || strides().block == wanted.block);
  const uint64_t gridBlocks = size.out * size.blocksPerRow;
  return grids && (axes_[1].size <= 1 || axes_[1].stride == gridBlocks) &&
         (axes_[0].size <= 1 || axes_[0].stride == gridBlocks * axes_[1].size);
}

std::size_t Layout::axisIndex(std::size_t axis) const {
  const std::size_t index = kMaxRank - rank_ + axis;
  if (!swapped_ || index < kOut) return index;
  return index == kOut ? kBlocks : kOut;
}

Result<Layout> Layout::narrow(std::size_t axis, uint64_t from, uint64_t size) const {
  if (axis >= rank_) return badAxis(axis, rank_);
  const std::size_t index = axisIndex(axis);
  const uint64_t unit = index == kBlocks ? elements_ : 1;
  const uint64_t length = axes_[index].size * unit;
  if (from > length || size > length - from) {
    return refuse(ErrorCode::OUT_OF_RANGE, "narrow to ", from, " .. ", from, " + ", size,
                  " of axis ", axis, ", which has ", length)
        .wanted(joined("within 0 .. ", length), joined(from, " + ", size));
  }
  if (from % unit != 0 || size % unit != 0) {
    return refuse(ErrorCode::NOT_BLOCK_ALIGNED, "narrow to ", from, " .. ", from, " + ", size,
                  " cuts a block of ", unit, " values; use multiples of ", unit);
  }
  Layout part = *this;
  part.axes_[index].size = size / unit;
  part.offset_ += from / unit * part.axes_[index].stride;
  return part;
}

Result<Layout> Layout::everyNth(std::size_t axis, uint64_t step) const {
  if (axis >= rank_) return badAxis(axis, rank_);
  if (step == 0) return refuse(ErrorCode::INVALID_ARGUMENT, "a step of 0; use 1 or more");
  const std::size_t index = axisIndex(axis);
  if (step == 1) return *this;
  if (index == kBlocks && elements_ > 1) {
    return refuse(ErrorCode::NOT_BLOCK_ALIGNED, "a step of ", step, " along the blocked axis ",
                  axis, " would skip values inside blocks of ", elements_,
                  "; narrow to whole blocks, or decode first");
  }
  Layout part = *this;
  part.axes_[index].size = axes_[index].size / step + (axes_[index].size % step != 0 ? 1 : 0);
  const auto stride = checkedMul(axes_[index].stride, step);
  if (part.axes_[index].size > 1 && !stride) {
    return refuse(ErrorCode::SIZE_OVERFLOW, "a step of ", step, " does not fit 64 bits");
  }
  part.axes_[index].stride = stride.value_or(0);
  return part;
}

Result<Layout> Layout::slice(uint64_t index) const {
  if (rank_ < 3) {
    return refuse(ErrorCode::RANK_UNSUPPORTED, "slice takes one grid of a stack; rank ", rank_,
                  " has no stack, use narrow");
  }
  const std::size_t axis = kMaxRank - rank_;
  if (index >= axes_[axis].size) {
    return refuse(ErrorCode::OUT_OF_RANGE, "slice ", index, " of a stack of ", axes_[axis].size,
                  ", which count from 0");
  }
  Layout one = *this;
  one.offset_ += index * one.axes_[axis].stride;
  one.axes_[axis] = {};
  --one.rank_;
  return one;
}

Result<Layout> Layout::swapAxes() const {
  if (rank_ < 2) {
    return refuse(ErrorCode::RANK_UNSUPPORTED, "a value of rank ", rank_, " has no axes to swap");
  }
  Layout turned = *this;
  turned.swapped_ = !swapped_;
  return turned;
}

Result<Layout> Layout::reshape(std::span<const uint64_t> newShape) const {
  if (!gapFree()) {
    return refuse(
        ErrorCode::RESHAPE_REFUSED,
        "a narrowed, stepped or transposed view has blocks that do not follow each other; "
        "reshape the whole value, or copy the part first");
  }
  auto made = dense(newShape, elements_, order_);
  if (!made) return made;
  if (made->blockCount() != blockCount()) {
    return refuse(ErrorCode::SIZE_MISMATCH, "a shape of ", made->blockCount() * elements_,
                  " values for a value of ", blockCount() * elements_)
        .wanted(joined(blockCount() * elements_, " values"),
                joined(made->blockCount() * elements_, " values"));
  }
  if (order_ == BlockOrder::INPUT_BLOCK_MAJOR && made->grid() != grid()) {
    return refuse(ErrorCode::RESHAPE_REFUSED, "view of a prepacked buffer with another shape: its ",
                  grid().out, " x ", grid().blocksPerRow,
                  " blocks stand in INPUT_BLOCK_MAJOR order, ", "which a grid of ",
                  made->grid().out, " x ", made->grid().blocksPerRow,
                  " would read wrongly; reshape the ROW_MAJOR value and prepack the result")
        .wanted(joined(grid().out, " x ", grid().blocksPerRow, " blocks"),
                joined(made->grid().out, " x ", made->grid().blocksPerRow, " blocks"));
  }
  made->offset_ = offset_;
  return made;
}

}  // namespace packed
