#include "tensor/prepack_stream.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "tensor/adapter.h"

namespace packed {

Result<PrepackStream> PrepackStream::start(Encoding encoding, std::span<const uint64_t> shape,
                                           BlockOrder order, Scope& scope, TraceSink* sink) {
  PACKED_TRY(layout, Layout::dense(shape, specOf(encoding).elements, order));
  PACKED_TRY(size, packedBytesOf(encoding, layout));
  PACKED_TRY(storage,
             scope.allocate(size, order == BlockOrder::ROW_MAJOR ? std::string("load")
                                                                 : adapterKind("prepack", order)));
  return PrepackStream(encoding, shape, layout, size, std::move(storage), scope, sink);
}

PrepackStream::PrepackStream(Encoding encoding, std::span<const uint64_t> shape,
                             const Layout& layout, uint64_t size, std::shared_ptr<Storage> storage,
                             Scope& scope, TraceSink* sink)
    : Arrival(encoding, shape, size, std::move(storage), scope, sink),
      order_(layout.order()),
      grid_(layout.grid()),
      slices_(layout.sliceCount()) {}

PrepackStream::PrepackStream(PrepackStream&& other) noexcept = default;

PrepackStream::~PrepackStream() = default;

Status PrepackStream::accept(Bytes window) {
  PACKED_CHECK(checkRoomFor(window));
  PACKED_TRY(to, storage_->writableBytes());
  const uint64_t begun = nowNanos();
  const uint64_t sliceBytes = slices_ == 0 ? 0 : size_ / slices_;
  while (!window.empty()) {
    const uint64_t inside = received_ % sliceBytes;
    if (inside == 0) {
      const auto place =
          to.subspan(static_cast<std::size_t>(received_), static_cast<std::size_t>(sliceBytes));
      PACKED_TRY(slice, StreamingPermutation::start(grid_, specOf(encoding_).bytes, order_, place));
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
  PACKED_TRY(storage, take());
  if (order_ != BlockOrder::ROW_MAJOR) storage->arrange({encoding_, slices_, grid_, order_});
  PACKED_TRY(made, TensorView::of(storage, encoding_, shape_, order_));
  if (order_ != BlockOrder::ROW_MAJOR) {
    tell(adapterKind("prepack", order_), nameOf(BlockOrder::ROW_MAJOR), nameOf(order_), made);
  }
  return made;
}

}  // namespace packed
