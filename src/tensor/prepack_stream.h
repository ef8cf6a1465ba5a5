// PrepackStream: the relayout of a weight while its file is read. Its bytes arrive ROW_MAJOR in
// windows of any size and every block is placed at once where `order` wants it, so memory peaks at
// the destination plus one window. Stacks are relaid grid by grid.
//
//   auto stream = PrepackStream::start(Encoding::Q4_K, shape, BlockOrder::INPUT_BLOCK_MAJOR,
//                                      scope, sink);
//   for each window of the file: stream->accept(window);
//   auto view = stream->finish();
//
// Asked for ROW_MAJOR it copies, and reports nothing: nothing was relaid.
#pragma once

#include <optional>

#include "layout/permutation.h"
#include "tensor/arrival.h"

namespace packed {

class PrepackStream : public Arrival {
 public:
  // Allocates the destination in `scope`, which must outlive the stream. `sink` may be null.
  // Errors: those of Layout::dense and Scope::allocate.
  static Result<PrepackStream> start(Encoding encoding, std::span<const uint64_t> shape,
                                     BlockOrder order, Scope& scope, TraceSink* sink);

  ~PrepackStream();
  PrepackStream(PrepackStream&& other) noexcept;

  // The next bytes of the file. SIZE_MISMATCH when more arrive than the shape holds, SCOPE_CLOSED.
  Status accept(Bytes window);

  // The whole value. SIZE_MISMATCH while bytes are missing, SCOPE_CLOSED. To be called once.
  Result<TensorView> finish();

 private:
  PrepackStream(Encoding encoding, std::span<const uint64_t> shape, const Layout& layout,
                uint64_t size, std::shared_ptr<Storage> storage, Scope& scope, TraceSink* sink);

  BlockOrder order_;
  BlockGrid grid_;
  uint64_t slices_;
  std::optional<StreamingPermutation> slice_;
};

}  // namespace packed
