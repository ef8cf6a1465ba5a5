#include "tensor/arrival.h"

#include <utility>

#include "base/clock.h"
#include "tensor/adapter.h"

namespace packed {

Arrival::Arrival(Encoding encoding, std::span<const uint64_t> shape, uint64_t size,
                 std::shared_ptr<Storage> storage, Scope& scope, TraceSink* sink)
    : encoding_(encoding),
      shape_(shape.begin(), shape.end()),
      size_(size),
      storage_(std::move(storage)),
      scope_(&scope),
      sink_(sink),
      startNanos_(nowNanos()) {}

Arrival::Arrival(Arrival&& other) noexcept = default;

Arrival::~Arrival() {
  // Nothing to give back when the scope has done so itself.
  if (storage_ && storage_->open()) static_cast<void>(scope_->release(*storage_).ok());
}

Status Arrival::checkRoomFor(Bytes window) const {
  PACKED_CHECK(storage_->bytes());
  if (window.size() <= size_ - received_) return Done{};
  return refuse(ErrorCode::SIZE_MISMATCH, "more bytes arrive than the ", size_, " bytes of ",
                nameOf(encoding_), " blocks that the shape holds")
      .wanted(joined(size_, " bytes"), joined(received_ + window.size(), " bytes"));
}

Result<std::shared_ptr<Storage>> Arrival::take() {
  if (received_ != size_) {
    return refuse(ErrorCode::SIZE_MISMATCH, "the rows end ", size_ - received_,
                  " bytes early: ", received_, " of ", size_, " bytes arrived")
        .wanted(joined(size_, " bytes"), joined(received_, " bytes"));
  }
  PACKED_CHECK(storage_->bytes());
  return std::exchange(storage_, nullptr);
}

void Arrival::tell(std::string_view kind, std::string_view from, std::string_view to,
                   const TensorView& made) const {
  tellAdapter(sink_, {kind, from, to, scope_->name(), startNanos_, nanos_}, made);
}

}  // namespace packed
