// Storage: bytes that views look at. Views share it; the scope that made it decides when it ends. After
// that the storage remembers only who closed it, so that a late use is an error with a name in it and
// never a read of freed memory.
//
// `identity` is unique for the life of the process and `version` grows with each announced change of the
// bytes: together they are what a cache of relaid weights may key on. An address is not: it is reused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace packed {

class Storage {
 public:
  // Bytes that stay the caller's; they must outlive every use of the storage.
  static std::shared_ptr<Storage> borrow(Bytes bytes);

  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  uint64_t identity() const { return identity_; }
  uint64_t version() const { return version_; }
  uint64_t size() const { return size_; }

  // SCOPE_CLOSED after the owning scope was closed or reset.
  Result<Bytes> bytes() const;

  // The same for writing; counts as a change of the bytes. WRITE_REFUSED for borrowed bytes.
  Result<MutableBytes> writableBytes();

 private:
  friend class Scope;
  Storage();

  uint8_t* start_ = nullptr;
  uint64_t size_ = 0;
  uint64_t identity_ = 0;
  uint64_t version_ = 0;
  bool owned_ = false;
  bool open_ = true;
  std::string closedBy_;
};

}  // namespace packed
