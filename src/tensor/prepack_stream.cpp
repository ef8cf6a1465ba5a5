#include "tensor/prepack_stream.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "tensor/adapter.h"

namespace packed {

Result<PrepackStream> PrepackStream::start(Encoding encoding, std::span<const uint64_t> shape,
                                           BlockOrder order, Scope& scope, TraceSink* sink) {
  PACKED_TRY(layout, Layout::dense(shape, specOf(encoding).elements, order));
  PrepackStream stream;
  stream.scope_ = &scope;
  stream.grid_ = layout.grid();
  stream.slices_ = layout.sliceCount();
  PACKED_TRY(size, packedBytesOf(encoding, layout));
  PACKED_TRY(storage,
             scope.allocate(size, order == BlockOrder::ROW_MAJOR ? std::string("load")
                                                                 : adapterKind("prepack", order)));
  stream.storage_ = storage;
  PACKED_TRY(to, storage->writableBytes());
  stream.to_ = to;
  stream.sink_ = sink;
  stream.encoding_ = encoding;
  stream.shape_.assign(shape.begin(), shape.end());
  stream.order_ = order;
  stream.size_ = size;
  stream.startNanos_ = nowNanos();
  return stream;
}

PrepackStream::PrepackStream(PrepackStream&& other) noexcept = default;

PrepackStream::~PrepackStream() {
  // Nothing to give back when the scope has done so itself.
  if (storage_ && storage_->open()) static_cast<void>(scope_->release(*storage_).ok());
}

Status PrepackStream::accept(Bytes window) {
  PACKED_CHECK(storage_->bytes());
  if (window.size() > size_ - received_) {
    return refuse(ErrorCode::SIZE_MISMATCH, "more bytes arrive than the ", size_, " bytes of ",
                  nameOf(encoding_), " blocks that the shape holds")
        .wanted(joined(size_, " bytes"), joined(received_ + window.size(), " bytes"));
  }
  const uint64_t begun = nowNanos();
  const uint64_t sliceBytes = slices_ == 0 ? 0 : size_ / slices_;
  while (!window.empty()) {
    const uint64_t inside = received_ % sliceBytes;
    if (inside == 0) {
      const auto to =
          to_.subspan(static_cast<std::size_t>(received_), static_cast<std::size_t>(sliceBytes));
      PACKED_TRY(slice, StreamingPermutation::start(grid_, specOf(encoding_).bytes, order_, to));
      slice_ = slice;
    }
    const auto part =
        static_cast<std::size_t>(std::min<uint64_t>(window.size(), sliceBytes - inside));
    PACKED_CHECK(slice_->accept(window.first(part)));
    window = window.subspan(part);
    received_ += part;
  }
  nanos_ += nowNanos() - begun;
  return Done{};
}

Result<TensorView> PrepackStream::finish() {
  if (received_ != size_) {
    return refuse(ErrorCode::SIZE_MISMATCH, "the rows end ", size_ - received_,
                  " bytes early: ", received_, " of ", size_, " bytes arrived")
        .wanted(joined(size_, " bytes"), joined(received_, " bytes"));
  }
  PACKED_CHECK(storage_->bytes());
  if (order_ != BlockOrder::ROW_MAJOR) storage_->arrange({encoding_, slices_, grid_, order_});
  const std::shared_ptr<Storage> storage = std::exchange(storage_, nullptr);
  PACKED_TRY(made, TensorView::of(storage, encoding_, shape_, order_));
  if (order_ != BlockOrder::ROW_MAJOR) {
    tellAdapter(sink_,
                {adapterKind("prepack", order_), BlockOrder::ROW_MAJOR, size_, scope_->name(),
                 startNanos_, nanos_},
                made);
  }
  return made;
}

}  // namespace packed
