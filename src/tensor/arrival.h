// Arrival: what the streams that fill a storage while a file is read have in common (prepack_stream.h,
// dequantize.h). It knows how many packed bytes have to come and counts those that have; one that is
// dropped before all have come gives its destination back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tensor/scope.h"
#include "tensor/tensor_view.h"

namespace packed {

class Arrival {
 public:
  uint64_t size() const { return size_; }  // packed bytes that have to arrive in all
  uint64_t received() const { return received_; }

 protected:
  // `size` bytes of blocks under `shape`, on their way to `storage` of `scope`, which must outlive
  // the arrival. `sink` may be null.
  Arrival(Encoding encoding, std::span<const uint64_t> shape, uint64_t size,
          std::shared_ptr<Storage> storage, Scope& scope, TraceSink* sink);
  Arrival(Arrival&& other) noexcept;
  Arrival& operator=(Arrival&&) = delete;
  ~Arrival();

  // SIZE_MISMATCH where more bytes arrive than are wanted, SCOPE_CLOSED.
  Status checkRoomFor(Bytes window) const;

  // The storage, which is the caller's to keep from here on. SIZE_MISMATCH while bytes are missing,
  // SCOPE_CLOSED.
  Result<std::shared_ptr<Storage>> take();

  // The storage filled: what was paid for it.
  void tell(std::string_view kind, std::string_view from, std::string_view to,
            const TensorView& made) const;

  Encoding encoding_;
  std::vector<uint64_t> shape_;
  uint64_t size_;
  uint64_t received_ = 0;
  uint64_t nanos_ = 0;  // of work, without waiting for the file
  std::shared_ptr<Storage> storage_;

 private:
  Scope* scope_;
  TraceSink* sink_;
  uint64_t startNanos_;
};

}  // namespace packed
