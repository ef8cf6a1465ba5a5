#include "tensor/tensor_view.h"

#include <utility>

#include "encoding/codec.h"
#include "layout/permutation.h"

namespace packed {
namespace {

// Decodes row o of grid s, wherever its blocks stand.
void decodeRow(Encoding encoding, const Layout& layout, const uint8_t* bytes, uint64_t s,
               uint64_t o, float* to) {
  const uint32_t blockBytes = specOf(encoding).bytes;
  const uint64_t count = layout.grid().blocksPerRow;
  const uint64_t stride = layout.strides().block;
  const uint8_t* from = bytes + layout.placeOf(s, o, 0) * blockBytes;
  if (stride == 1) return decodeBlocks(encoding, from, count, to);
  for (uint64_t b = 0; b < count; ++b) {
    decodeBlocks(encoding, from + b * stride * blockBytes, 1, to + b * layout.elements());
  }
}

Error wrongCount(uint64_t expected, uint64_t actual) {
  return refuse(ErrorCode::SIZE_MISMATCH, "room for ", actual, " where ", expected, " are written")
      .wanted(joined(expected), joined(actual));
}

std::string describe(const Arrangement& held) {
  return joined(held.slices == 1 ? "" : joined(held.slices, " x "), held.grid.out, " x ",
                held.grid.blocksPerRow, " blocks of ", nameOf(held.encoding), " in ",
                nameOf(held.order));
}

}  // namespace

Result<TensorView> TensorView::of(std::shared_ptr<Storage> storage, Encoding encoding,
                                  std::span<const uint64_t> shape, BlockOrder order) {
  const EncodingSpec& spec = specOf(encoding);
  PACKED_TRY(layout, Layout::dense(shape, spec.elements, order));
  PACKED_TRY(size, packedBytesOf(encoding, layout));
  if (storage->size() != size) {
    return refuse(ErrorCode::SIZE_MISMATCH, layout.blockCount(), " blocks of ", spec.name, " are ",
                  size, " bytes, but ", storage->size(), " were given")
        .wanted(joined(size, " bytes"), joined(storage->size(), " bytes"));
  }
  const Arrangement asked = {encoding, layout.sliceCount(), layout.grid(), order};
  if (const auto& held = storage->arrangement();
      held && held->order == BlockOrder::INPUT_BLOCK_MAJOR && asked != *held) {
    return refuse(ErrorCode::RESHAPE_REFUSED,
                  "view of a prepacked buffer with another shape: it holds ", describe(*held),
                  "; prepack the ROW_MAJOR value under the shape wanted")
        .wanted(describe(*held), describe(asked));
  }
  TensorView view;
  view.arrangements_ = storage->arrangements();
  view.storage_ = std::move(storage);
  view.encoding_ = encoding;
  view.layout_ = layout;
  return view;
}

uint64_t TensorView::packedSize() const { return layout_.blockCount() * specOf(encoding_).bytes; }

Result<Bytes> TensorView::storageBytes() const {
  if (storage_->arrangements() != arrangements_) {
    return refuse(ErrorCode::STALE_VIEW, "the bytes of this ", nameOf(encoding_), " view in ",
                  nameOf(order()),
                  " order were relaid in place after it was made; use the view that "
                  "the relayout returned");
  }
  return storage_->bytes();
}

Result<Bytes> TensorView::decodableBytes() const {
  PACKED_CHECK(requireDecodable(encoding_));
  return storageBytes();
}

Result<float> TensorView::get(std::span<const uint64_t> index) const {
  const std::vector<uint64_t> sizes = shape();
  if (index.size() != sizes.size()) {
    return refuse(ErrorCode::OUT_OF_RANGE, index.size(), " indices for a value of rank ", rank());
  }
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    if (index[axis] >= sizes[axis]) {
      return refuse(ErrorCode::OUT_OF_RANGE, "index ", index[axis], " on axis ", axis,
                    ", which has ", sizes[axis])
          .wanted(joined("below ", sizes[axis]), joined(index[axis]));
    }
  }
  PACKED_TRY(bytes, decodableBytes());
  uint64_t i = index.back();
  uint64_t o = rank() >= 2 ? index[rank() - 2] : 0;
  if (layout_.axesSwapped()) std::swap(i, o);
  uint64_t s = 0;
  for (std::size_t axis = 0; axis + 2 < rank(); ++axis) s = s * sizes[axis] + index[axis];
  const uint64_t place = layout_.placeOf(s, o, i / layout_.elements());
  float values[kMaxBlockElements];
  decodeBlocks(encoding_, bytes.data() + place * specOf(encoding_).bytes, 1, values);
  return values[i % layout_.elements()];
}

Status TensorView::row(uint64_t o, std::span<float> to) const {
  if (rank() > 2) {
    return refuse(ErrorCode::RANK_UNSUPPORTED, "row of a value of rank ", rank(),
                  "; take a slice first");
  }
  const std::vector<uint64_t> sizes = shape();
  const uint64_t rows = rank() == 2 ? sizes[0] : 1;
  if (o >= rows)
    return refuse(ErrorCode::OUT_OF_RANGE, "row ", o, " of a view of ", rows,
                  " rows, which count from 0");
  if (to.size() != sizes.back()) return wrongCount(sizes.back(), to.size());
  PACKED_TRY(bytes, decodableBytes());
  if (!layout_.axesSwapped()) {
    decodeRow(encoding_, layout_, bytes.data(), 0, o, to.data());
    return Done{};
  }
  // A row of a transposed view is one lane of a column of blocks.
  float values[kMaxBlockElements];
  for (uint64_t i = 0; i < to.size(); ++i) {
    const uint64_t place = layout_.placeOf(0, i, o / layout_.elements());
    decodeBlocks(encoding_, bytes.data() + place * specOf(encoding_).bytes, 1, values);
    to[i] = values[o % layout_.elements()];
  }
  return Done{};
}

Status TensorView::toFloats(std::span<float> to) const {
  if (to.size() != valueCount()) return wrongCount(valueCount(), to.size());
  PACKED_TRY(bytes, decodableBytes());
  const BlockGrid grid = layout_.grid();
  const uint64_t inputDim = layout_.inputDim();
  for (uint64_t s = 0; s < layout_.sliceCount(); ++s) {
    float* slice = to.data() + s * grid.out * inputDim;
    if (!layout_.axesSwapped()) {
      for (uint64_t o = 0; o < grid.out; ++o) {
        decodeRow(encoding_, layout_, bytes.data(), s, o, slice + o * inputDim);
      }
      continue;
    }
    float values[kMaxBlockElements];
    for (uint64_t o = 0; o < grid.out; ++o) {
      for (uint64_t b = 0; b < grid.blocksPerRow; ++b) {
        const uint64_t place = layout_.placeOf(s, o, b);
        decodeBlocks(encoding_, bytes.data() + place * specOf(encoding_).bytes, 1, values);
        for (uint32_t i = 0; i < layout_.elements(); ++i) {
          slice[(b * layout_.elements() + i) * grid.out + o] = values[i];
        }
      }
    }
  }
  return Done{};
}

Status TensorView::copyBlocks(BlockOrder order, MutableBytes to) const {
  if (layout_.axesSwapped()) {
    return refuse(ErrorCode::NOT_BLOCKED, "the rows of a transposed ", nameOf(encoding_),
                  " view are not made of whole blocks; relayout the weight before transposing it");
  }
  if (to.size() != packedSize()) return wrongCount(packedSize(), to.size());
  PACKED_TRY(bytes, storageBytes());
  const uint32_t blockBytes = specOf(encoding_).bytes;
  const BlockGrid grid = layout_.grid();
  const uint64_t sliceBytes = grid.out * grid.blocksPerRow * blockBytes;
  for (uint64_t s = 0; s < layout_.sliceCount(); ++s) {
    permuteBlocks(grid, blockBytes, bytes.data() + layout_.sliceStart(s) * blockBytes,
                  layout_.strides(), to.data() + s * sliceBytes, stridesOf(order, grid));
  }
  return Done{};
}

Result<TensorView> TensorView::with(Result<Layout> layout) const {
  PACKED_CHECK(storageBytes());
  if (!layout) return std::move(layout).error();
  TensorView view = *this;
  view.layout_ = *layout;
  return view;
}

Result<TensorView> TensorView::narrow(std::size_t axis, uint64_t from, uint64_t size) const {
  return with(layout_.narrow(axis, from, size));
}

Result<TensorView> TensorView::everyNth(std::size_t axis, uint64_t step) const {
  return with(layout_.everyNth(axis, step));
}

Result<TensorView> TensorView::slice(uint64_t index) const { return with(layout_.slice(index)); }

Result<TensorView> TensorView::transpose() const { return with(layout_.swapAxes()); }

Result<TensorView> TensorView::reshape(std::span<const uint64_t> newShape) const {
  return with(layout_.reshape(newShape));
}

}  // namespace packed
