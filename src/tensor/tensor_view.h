// TensorView: a weight, or a part of one, seen as values. Shape, encoding and layout say how the
// bytes of a storage are to be read; the view itself is small and copying it copies no bytes.
//
// `get`, `row` and `toFloats` read through the layout, so they mean the same thing in either order
// and through any chain of narrow, everyNth, slice and transpose. Values are bit for bit those of
// the encoding's reference decoder.
//
// Shapes are [in], [out, in], [experts, out, in] or one axis more; axes count from 0.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "encoding/encoding.h"
#include "layout/layout.h"
#include "tensor/storage.h"

namespace packed {

class TensorView {
 public:
  // A view of the whole of `storage`, which must hold exactly the blocks of `shape`. A storage that
  // a relayout has filled is only to be seen as what was put there. Errors: those of Layout::dense,
  // SIZE_MISMATCH, RESHAPE_REFUSED.
  static Result<TensorView> of(std::shared_ptr<Storage> storage, Encoding encoding,
                               std::span<const uint64_t> shape, BlockOrder order);

  Encoding encoding() const { return encoding_; }
  const Layout& layout() const { return layout_; }
  BlockOrder order() const { return layout_.order(); }
  std::vector<uint64_t> shape() const { return layout_.shape(); }
  std::size_t rank() const { return layout_.rank(); }
  const std::shared_ptr<Storage>& storage() const { return storage_; }
  uint64_t valueCount() const { return layout_.blockCount() * layout_.elements(); }
  uint64_t packedSize() const;  // bytes of the blocks seen

  // The bytes of the whole storage, of which the layout picks the blocks. SCOPE_CLOSED after its
  // scope was closed; STALE_VIEW after its blocks were relaid in place behind this view.
  Result<Bytes> storageBytes() const;

  // One value; one index per axis. OUT_OF_RANGE, SCOPE_CLOSED, STALE_VIEW, UNSUPPORTED_ENCODING.
  Result<float> get(std::span<const uint64_t> index) const;

  // Row `o` of a view of rank 1 or 2, as the shape counts rows, into shape.back() values. Errors:
  // RANK_UNSUPPORTED for a stack, OUT_OF_RANGE, SIZE_MISMATCH, SCOPE_CLOSED, STALE_VIEW,
  // UNSUPPORTED_ENCODING.
  Status row(uint64_t o, std::span<float> to) const;

  // Every value in the order of the shape, last axis fastest, into valueCount() values. Errors:
  // SIZE_MISMATCH, SCOPE_CLOSED, STALE_VIEW, UNSUPPORTED_ENCODING.
  Status toFloats(std::span<float> to) const;

  // The blocks seen, gap-free in `order` (stacks grid by grid), into packedSize() bytes. Errors:
  // NOT_BLOCKED for a transposed view, whose rows are not made of whole blocks, SIZE_MISMATCH,
  // SCOPE_CLOSED, STALE_VIEW.
  Status copyBlocks(BlockOrder order, MutableBytes to) const;

  // Other views of the same bytes: SCOPE_CLOSED and STALE_VIEW as for who reads them, and see
  // layout.h for what each accepts. `transpose` reads the last two axes in the other order: a
  // way of looking that moves no byte. It is not a relayout (prepack.h), and kernels refuse its
  // result.
  Result<TensorView> narrow(std::size_t axis, uint64_t from, uint64_t size) const;
  Result<TensorView> everyNth(std::size_t axis, uint64_t step) const;
  Result<TensorView> slice(uint64_t index) const;
  Result<TensorView> transpose() const;

  // The same blocks under another shape of as many values (layout.h): RESHAPE_REFUSED for a part of
  // a value, and for a prepacked one unless its grid stays.
  Result<TensorView> reshape(std::span<const uint64_t> shape) const;

 private:
  Result<TensorView> with(Result<Layout> layout) const;
  Result<Bytes> decodableBytes() const;

  std::shared_ptr<Storage> storage_;
  Encoding encoding_ = Encoding::F32;
  Layout layout_;
  uint64_t arrangements_ = 0;  // of the storage, when the view was made
};

}  // namespace packed
