// PackedWeights: the relayout as callers use it, for views and for bytes.
//
//   a view           prepackForMatmul, toCanonical: it knows its order; copied into a scope
//   tagged bytes     PackedBytes: bytes that know their order; converting twice does nothing
//   untagged bytes   relayout: the caller states both orders, nothing is guessed; allocates only
//                    the scratch memory of a relayout in place
//
// Prepack once, at load: the relayout is O(bytes), and doing it inside a decode step copies the
// whole weight per token. This is the only implementation a converter needs; it never has to write
// its own.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "encoding/encoding.h"
#include "layout/block_order.h"
#include "tensor/prepack.h"

namespace packed {

// The same values in the order that packed kernels read, or that files hold. `view` must be a
// rank-2 weight of a BLOCKED encoding, not transposed; of a stack, take a slice first. When its
// order is right already, `view` itself. Errors: NOT_BLOCKED, those of requireOutIn and of prepack.
Result<TensorView> prepackForMatmul(const TensorView& view, Scope& scope, TraceSink* sink);
Result<TensorView> toCanonical(const TensorView& view, Scope& scope, TraceSink* sink);

// "ROW_MAJOR" or "INPUT_BLOCK_MAJOR". ORDER_REQUIRED for empty text: an order cannot be seen in
// bytes, so whoever hands over bytes has to say. INVALID_ARGUMENT for any other text.
Result<BlockOrder> statedOrder(std::string_view name);

// The grid of an [out, inputDim] weight. Errors: NOT_BLOCKED for a PLAIN encoding, those of
// requireOutIn, SIZE_OVERFLOW when the bytes of the grid cannot be counted.
Result<BlockGrid> gridOf(Encoding encoding, uint64_t out, uint64_t inputDim);

// Bytes of all blocks of a grid. Errors: NOT_BLOCKED, SIZE_OVERFLOW.
Result<uint64_t> gridBytesOf(Encoding encoding, BlockGrid grid);

// Copies `source`, in order `from`, to `target`, in order `to`. Both must be exactly the grid:
// SIZE_MISMATCH otherwise. They may be the same memory, which is then reordered in place, with
// scratch memory: OUT_OF_MEMORY when that cannot be had. Overlapping otherwise is
// INVALID_ARGUMENT. Also the errors of gridBytesOf: NOT_BLOCKED, SIZE_OVERFLOW.
Status relayout(Encoding encoding, BlockGrid grid, BlockOrder from, Bytes source, BlockOrder to,
                MutableBytes target);

// Bytes of one weight that know what they are. A small value: copies share the bytes, which never
// change.
class PackedBytes {
 public:
  // Copies `bytes`. Errors: ORDER_REQUIRED without an order, those of gridOf, SIZE_MISMATCH,
  // OUT_OF_MEMORY.
  static Result<PackedBytes> of(Bytes bytes, Encoding encoding, uint64_t out, uint64_t inputDim,
                                std::optional<BlockOrder> order);

  Bytes bytes() const { return {bytes_.get(), size_}; }
  Encoding encoding() const { return encoding_; }
  uint64_t out() const { return grid_.out; }
  uint64_t blocksPerRow() const { return grid_.blocksPerRow; }
  uint64_t inputDim() const { return grid_.blocksPerRow * specOf(encoding_).elements; }
  BlockGrid grid() const { return grid_; }
  BlockOrder order() const { return order_; }

 private:
  friend Result<PackedBytes> inOrder(const PackedBytes& packed, BlockOrder order);
  PackedBytes() = default;

  std::shared_ptr<uint8_t[]> bytes_;
  std::size_t size_ = 0;
  Encoding encoding_ = Encoding::F32;
  BlockGrid grid_;
  BlockOrder order_ = BlockOrder::ROW_MAJOR;
};

// The weight in the order asked for; `packed` itself, sharing its bytes, when it is in that order
// already, so that no number of calls can scramble it. OUT_OF_MEMORY.
Result<PackedBytes> inOrder(const PackedBytes& packed, BlockOrder order);
inline Result<PackedBytes> toKernelOrder(const PackedBytes& packed) {
  return inOrder(packed, BlockOrder::INPUT_BLOCK_MAJOR);
}
inline Result<PackedBytes> toCanonicalOrder(const PackedBytes& packed) {
  return inOrder(packed, BlockOrder::ROW_MAJOR);
}

}  // namespace packed
