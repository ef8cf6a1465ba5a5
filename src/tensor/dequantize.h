// dequantize: a weight as f32 values, for who wants to pay 4 bytes a value. A conversion like
// prepack: it allocates in a scope and is seen as an AdapterInserted event ("dequantize-f32").
// `sink` may be null.
#pragma once

#include "tensor/scope.h"
#include "tensor/tensor_view.h"

namespace packed {

// Every value the view shows, dense, under its shape. Errors: those of toFloats and
// Scope::allocate.
Result<TensorView> dequantize(const TensorView& view, Scope& scope, TraceSink* sink);

// The same while a file is read: ROW_MAJOR bytes arrive in windows of any size and are decoded at
// once. Memory peaks at the values plus one window. A stream that is dropped gives its destination
// back.
class DequantizeStream {
 public:
  // `scope` must outlive the stream. Errors: UNSUPPORTED_ENCODING, those of Layout::dense and
  // Scope::allocate.
  static Result<DequantizeStream> start(Encoding encoding, std::span<const uint64_t> shape,
                                        Scope& scope, TraceSink* sink);
  ~DequantizeStream();
  DequantizeStream(DequantizeStream&& other) noexcept;
  DequantizeStream& operator=(DequantizeStream&&) = delete;

  uint64_t size() const { return size_; }  // packed bytes that have to arrive in all

  // SIZE_MISMATCH when more arrive than the shape holds, SCOPE_CLOSED.
  Status accept(Bytes window);
  // SIZE_MISMATCH while bytes are missing, SCOPE_CLOSED. To be called once.
  Result<TensorView> finish();

 private:
  DequantizeStream() = default;
  void decode(uint64_t block, uint64_t count, const uint8_t* blocks);

  Scope* scope_ = nullptr;
  TraceSink* sink_ = nullptr;
  Encoding encoding_ = Encoding::F32;
  std::vector<uint64_t> shape_;
  std::shared_ptr<Storage> storage_;
  float* values_ = nullptr;
  uint64_t size_ = 0;
  uint64_t received_ = 0;
  uint64_t startNanos_ = 0;
  uint64_t nanos_ = 0;
  uint8_t partial_[512] = {};  // of the block that the last window ended in
};

}  // namespace packed
