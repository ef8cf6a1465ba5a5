// Scope: an arena with a name. It owns the bytes of the views and adapters made in it, counts them,
// and gives them all back when it is closed or destroyed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tensor/storage.h"
#include "tensor/trace.h"

namespace packed {

class Scope {
 public:
  // `sink` may be null and must outlive the scope. More than `limit` bytes at a time are refused as
  // if the machine had no more: for pages that may not grow without end.
  explicit Scope(std::string name, TraceSink* sink = nullptr, uint64_t limit = UINT64_MAX);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  const std::string& name() const { return name_; }
  bool closed() const { return closed_; }
  uint64_t bytesLive() const { return bytesLive_; }
  uint64_t bytesPeak() const { return bytesPeak_; }
  uint64_t limit() const { return limit_; }
  std::size_t storageCount() const { return storages_.size(); }

  // `size` uninitialised bytes for `purpose` (text for the trace). SCOPE_CLOSED, SIZE_OVERFLOW when
  // the machine cannot address as many, OUT_OF_MEMORY: nothing has changed then.
  Result<std::shared_ptr<Storage>> allocate(uint64_t size, std::string_view purpose);

  // Gives one storage of this scope back early. INVALID_ARGUMENT when the scope does not own it.
  Status release(const Storage& storage);

  // Gives everything back; the scope can be used again.
  void reset();

  // Gives everything back for good. Closing twice is allowed.
  void close();

 private:
  Error noMemory(uint64_t size, std::string_view purpose) const;
  void free(Storage& storage);
  void freeAll();

  std::string name_;
  TraceSink* sink_;
  bool closed_ = false;
  uint64_t bytesLive_ = 0;
  uint64_t bytesPeak_ = 0;
  uint64_t limit_;
  std::vector<std::shared_ptr<Storage>> storages_;
};

}  // namespace packed
