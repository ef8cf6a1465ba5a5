// TernaryWeight: an [out, in] weight in BITNET_B1_58 (encoding/i2s.h): one scale for the whole
// tensor, so its rows are no blocks and it is no TensorView. It has two orders all the same:
// ROW_MAJOR as the codec writes it, and INPUT_BLOCK_MAJOR with the 64 bytes of every 256 values of
// a row moved whole.
#pragma once

#include <memory>

#include "layout/block_order.h"
#include "tensor/scope.h"

namespace packed {

class TernaryWeight {
 public:
  // The whole of `storage`: ceil(out * in / 4) bytes of codes and the scale. Every code is looked
  // at once: INVALID_CODE for a 3, which would otherwise count as +2. The message names the
  // element, counted as the bytes hold them; `offset` is the byte in which it stands.
  // ELEMENT_NOT_FINITE for a scale that is NaN or infinite. INPUT_BLOCK_MAJOR needs rows of whole
  // chunks of 256: NOT_BLOCK_DIVISIBLE. SIZE_OVERFLOW, SIZE_MISMATCH, SCOPE_CLOSED.
  static Result<TernaryWeight> of(std::shared_ptr<Storage> storage, uint64_t out, uint64_t inputDim,
                                  BlockOrder order);

  uint64_t out() const { return out_; }
  uint64_t inputDim() const { return inputDim_; }
  BlockOrder order() const { return order_; }
  uint64_t firstRow() const { return firstRow_; }
  uint64_t storedRows() const { return storedRows_; }
  uint64_t packedSize() const { return (out_ * inputDim_ + 3) / 4 + sizeof(float); }

  // Codes and scale. SCOPE_CLOSED.
  Result<Bytes> codes() const;
  Result<float> scale() const;

  // One value. OUT_OF_RANGE, SCOPE_CLOSED.
  Result<float> get(uint64_t o, uint64_t i) const;

  // Rows from .. from + count, of the same bytes. OUT_OF_RANGE, SCOPE_CLOSED.
  Result<TernaryWeight> narrow(uint64_t from, uint64_t count) const;

 private:
  friend Result<TernaryWeight> prepack(const TernaryWeight& weight, BlockOrder order, Scope& scope,
                                       TraceSink* sink);

  std::shared_ptr<Storage> storage_;
  uint64_t out_ = 0;
  uint64_t inputDim_ = 0;
  uint64_t firstRow_ = 0;
  uint64_t storedRows_ = 0;
  BlockOrder order_ = BlockOrder::ROW_MAJOR;
};

// As prepack of a view (prepack.h): the same weight when the order is right, else a copy of the
// rows seen in `scope` and an AdapterInserted event. Errors: NOT_BLOCK_DIVISIBLE unless rows are
// whole chunks of 256, SCOPE_CLOSED of the source, whatever Scope::allocate refuses.
Result<TernaryWeight> prepack(const TernaryWeight& weight, BlockOrder order, Scope& scope,
                              TraceSink* sink);

}  // namespace packed
