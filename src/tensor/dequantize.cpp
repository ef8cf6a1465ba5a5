#include "tensor/dequantize.h"

#include <utility>

#include "base/checked.h"
#include "base/clock.h"
#include "encoding/codec.h"
#include "tensor/adapter.h"

namespace packed {
namespace {

constexpr std::string_view kKind = "dequantize-f32";

// Room for `count` f32 values. malloc aligns it for them.
Result<std::shared_ptr<Storage>> roomFor(uint64_t count, Scope& scope) {
  const auto bytes = checkedMul(count, sizeof(float));
  if (!bytes)
    return refuse(ErrorCode::SIZE_OVERFLOW, count, " f32 values do not fit 64 bits of bytes");
  return scope.allocate(*bytes, kKind);
}

}  // namespace

Result<TensorView> dequantize(const TensorView& view, Scope& scope, TraceSink* sink) {
  const uint64_t start = sink ? nowNanos() : 0;
  if (auto alive = view.storageBytes(); !alive) return refused(sink, std::move(alive).error());
  auto storage = roomFor(view.valueCount(), scope);
  if (!storage) return refused(sink, std::move(storage).error());
  PACKED_TRY(to, (*storage)->writableBytes());
  if (auto done = view.toFloats({reinterpret_cast<float*>(to.data()), to.size() / sizeof(float)});
      !done) {
    PACKED_CHECK(scope.release(**storage));
    return refused(sink, std::move(done).error());
  }
  PACKED_TRY(made, TensorView::of(*storage, Encoding::F32, view.shape(), BlockOrder::ROW_MAJOR));
  if (sink) {
    tellAdapter(sink,
                {kKind, nameOf(view.encoding()), nameOf(Encoding::F32), scope.name(), start,
                 nowNanos() - start},
                made);
  }
  return made;
}

Result<DequantizeStream> DequantizeStream::start(Encoding encoding, std::span<const uint64_t> shape,
                                                 Scope& scope, TraceSink* sink) {
  PACKED_CHECK(requireDecodable(encoding));
  PACKED_TRY(layout, Layout::dense(shape, specOf(encoding).elements, BlockOrder::ROW_MAJOR));
  PACKED_TRY(size, packedBytesOf(encoding, layout));
  PACKED_TRY(storage, roomFor(layout.blockCount() * layout.elements(), scope));
  return DequantizeStream(encoding, shape, size, std::move(storage), scope, sink);
}

DequantizeStream::DequantizeStream(Encoding encoding, std::span<const uint64_t> shape,
                                   uint64_t size, std::shared_ptr<Storage> storage, Scope& scope,
                                   TraceSink* sink)
    : Arrival(encoding, shape, size, std::move(storage), scope, sink),
      blocks_(specOf(encoding).bytes) {}

DequantizeStream::DequantizeStream(DequantizeStream&& other) noexcept = default;

DequantizeStream::~DequantizeStream() = default;

Status DequantizeStream::accept(Bytes window) {
  PACKED_CHECK(checkRoomFor(window));
  PACKED_TRY(to, storage_->writableBytes());
  const uint64_t begun = nowNanos();
  auto* values = reinterpret_cast<float*>(to.data());
  blocks_.accept(window, [&](const uint8_t* blocks, uint64_t count) {
    decodeBlocks(encoding_, blocks, count, values + decoded_ * specOf(encoding_).elements);
    decoded_ += count;
  });
  received_ += window.size();
  nanos_ += nowNanos() - begun;
  return Done{};
}

Result<TensorView> DequantizeStream::finish() {
  PACKED_TRY(storage, take());
  PACKED_TRY(made, TensorView::of(storage, Encoding::F32, shape_, BlockOrder::ROW_MAJOR));
  tell(kKind, nameOf(encoding_), nameOf(Encoding::F32), made);
  return made;
}

}  // namespace packed
