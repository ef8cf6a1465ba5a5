#include "tensor/dequantize.h"

#include <algorithm>
#include <cstring>
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

void tell(TraceSink* sink, Encoding from, const Scope& scope, uint64_t start, uint64_t nanos,
          const TensorView& made) {
  if (!sink) return;
  TraceEvent event;
  event.kind = TraceKind::AdapterInserted;
  event.what = kKind;
  event.from = nameOf(from);
  event.to = nameOf(Encoding::F32);
  event.target = shapeText(made);
  event.scope = scope.name();
  event.bytes = made.packedSize();
  event.startNanos = start;
  event.nanos = nanos;
  sink->record(event);
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
  tell(sink, view.encoding(), scope, start, sink ? nowNanos() - start : 0, made);
  return made;
}

Result<DequantizeStream> DequantizeStream::start(Encoding encoding, std::span<const uint64_t> shape,
                                                 Scope& scope, TraceSink* sink) {
  PACKED_CHECK(requireDecodable(encoding));
  PACKED_TRY(layout, Layout::dense(shape, specOf(encoding).elements, BlockOrder::ROW_MAJOR));
  PACKED_TRY(size, packedBytesOf(encoding, layout));
  DequantizeStream stream;
  stream.scope_ = &scope;
  PACKED_TRY(storage, roomFor(layout.blockCount() * layout.elements(), scope));
  stream.storage_ = storage;
  PACKED_TRY(to, storage->writableBytes());
  stream.values_ = reinterpret_cast<float*>(to.data());
  stream.sink_ = sink;
  stream.encoding_ = encoding;
  stream.shape_.assign(shape.begin(), shape.end());
  stream.size_ = size;
  stream.startNanos_ = nowNanos();
  return stream;
}

DequantizeStream::DequantizeStream(DequantizeStream&& other) noexcept = default;

DequantizeStream::~DequantizeStream() {
  if (storage_ && storage_->open()) static_cast<void>(scope_->release(*storage_).ok());
}

void DequantizeStream::decode(uint64_t block, uint64_t count, const uint8_t* blocks) {
  decodeBlocks(encoding_, blocks, count, values_ + block * specOf(encoding_).elements);
}

Status DequantizeStream::accept(Bytes window) {
  PACKED_CHECK(storage_->bytes());
  if (window.size() > size_ - received_) {
    return refuse(ErrorCode::SIZE_MISMATCH, "more bytes arrive than the ", size_, " bytes of ",
                  nameOf(encoding_), " blocks that the shape holds")
        .wanted(joined(size_, " bytes"), joined(received_ + window.size(), " bytes"));
  }
  const uint64_t begun = nowNanos();
  const uint32_t blockBytes = specOf(encoding_).bytes;
  if (const uint64_t begunBlock = received_ % blockBytes; begunBlock != 0 && !window.empty()) {
    const auto missing =
        static_cast<std::size_t>(std::min<uint64_t>(blockBytes - begunBlock, window.size()));
    std::memcpy(partial_ + begunBlock, window.data(), missing);
    received_ += missing;
    window = window.subspan(missing);
    if (received_ % blockBytes == 0) decode(received_ / blockBytes - 1, 1, partial_);
  }
  if (!window.empty()) {
    const std::size_t whole = window.size() / blockBytes;
    decode(received_ / blockBytes, whole, window.data());
    const Bytes rest = window.subspan(whole * blockBytes);
    if (!rest.empty()) std::memcpy(partial_, rest.data(), rest.size());
    received_ += window.size();
  }
  nanos_ += nowNanos() - begun;
  return Done{};
}

Result<TensorView> DequantizeStream::finish() {
  if (received_ != size_) {
    return refuse(ErrorCode::SIZE_MISMATCH, "the rows end ", size_ - received_,
                  " bytes early: ", received_, " of ", size_, " bytes arrived")
        .wanted(joined(size_, " bytes"), joined(received_, " bytes"));
  }
  PACKED_CHECK(storage_->bytes());
  const std::shared_ptr<Storage> storage = std::exchange(storage_, nullptr);
  PACKED_TRY(made, TensorView::of(storage, Encoding::F32, shape_, BlockOrder::ROW_MAJOR));
  tell(sink_, encoding_, *scope_, startNanos_, nanos_, made);
  return made;
}

}  // namespace packed
