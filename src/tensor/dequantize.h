// dequantize: a weight as f32 values, for who wants to pay 4 bytes a value. A conversion like
// prepack: it allocates in a scope and is seen as an AdapterInserted event ("dequantize-f32").
// `sink` may be null.
#pragma once

#include "layout/cut_blocks.h"
#include "tensor/arrival.h"

namespace packed {

// Every value the view shows, dense, under its shape. Errors: those of toFloats and
// Scope::allocate.
Result<TensorView> dequantize(const TensorView& view, Scope& scope, TraceSink* sink);

// The same while a file is read: ROW_MAJOR bytes arrive in windows of any size and are decoded at
// once. Memory peaks at the values plus one window. A stream that is dropped gives its destination
// back.
class DequantizeStream : public Arrival {
 public:
  // `scope` must outlive the stream. Errors: UNSUPPORTED_ENCODING, those of Layout::dense and
  // Scope::allocate.
  static Result<DequantizeStream> start(Encoding encoding, std::span<const uint64_t> shape,
                                        Scope& scope, TraceSink* sink);
  ~DequantizeStream();
  DequantizeStream(DequantizeStream&& other) noexcept;

  // SIZE_MISMATCH when more arrive than the shape holds, SCOPE_CLOSED.
  Status accept(Bytes window);
  // SIZE_MISMATCH while bytes are missing, SCOPE_CLOSED. To be called once.
  Result<TensorView> finish();

 private:
  DequantizeStream(Encoding encoding, std::span<const uint64_t> shape, uint64_t size,
                   std::shared_ptr<Storage> storage, Scope& scope, TraceSink* sink);

  CutBlocks blocks_;
  uint64_t decoded_ = 0;  // blocks
};

}  // namespace packed
