// Storage: bytes that views look at. Views share it; the scope that made it decides when it ends.
// After that the storage remembers only who closed it, so that a late use is an error with a name
// in it and never a read of freed memory.
//
// `identity` is unique for the life of the process and `version` grows with each announced change
// of the bytes: together they are what a cache of relaid weights may key on. An address is not: it
// is reused.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "encoding/encoding.h"
#include "layout/block_order.h"

namespace packed {

// What a relayout has put into a storage. Such bytes mean something only at this grid, so a view of
// another shape is refused.
struct Arrangement {
  Encoding encoding = Encoding::F32;
  uint64_t slices = 1;
  BlockGrid grid;
  BlockOrder order = BlockOrder::ROW_MAJOR;

  friend bool operator==(const Arrangement&, const Arrangement&) = default;
};

class Dependent;

class Storage {
 public:
  // Bytes that stay the caller's; they must outlive every use of the storage.
  static std::shared_ptr<Storage> borrow(Bytes bytes);

  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  uint64_t identity() const { return identity_; }
  uint64_t version() const { return version_; }
  uint64_t size() const { return size_; }
  bool open() const { return open_; }

  // SCOPE_CLOSED after the owning scope was closed or reset.
  Result<Bytes> bytes() const;

  // The same for writing; counts as a change of the bytes. WRITE_REFUSED for borrowed bytes.
  Result<MutableBytes> writableBytes();

  // Announces that the bytes were changed by who owns them: `version` grows, and what was relaid
  // from them before is not used again.
  void markChanged() { ++version_; }

  // For who relays the bytes (prepack.h): records what stands in them now. Views made before are
  // stale from here on: they would read the old order. Dependents are told.
  void arrange(const Arrangement& arrangement);
  const std::optional<Arrangement>& arrangement() const { return arrangement_; }
  uint64_t arrangements() const { return arrangements_; }  // how often it was arranged

 private:
  friend class Scope;
  friend class Dependent;
  Storage();
  void tellDependents();

  uint8_t* start_ = nullptr;
  uint64_t size_ = 0;
  uint64_t identity_ = 0;
  uint64_t version_ = 0;
  uint64_t arrangements_ = 0;
  std::size_t slot_ = 0;  // where the owning scope keeps it
  bool owned_ = false;
  bool open_ = true;
  std::string closedBy_;
  std::optional<Arrangement> arrangement_;
  Dependent* dependents_ = nullptr;
};

// Something made from the bytes of a storage that is of no use without them, as a cache's relaid
// copy. Either may end first.
class Dependent {
 public:
  Dependent(const Dependent&) = delete;
  Dependent& operator=(const Dependent&) = delete;

 protected:
  explicit Dependent(Storage& source);
  ~Dependent() { leave(); }

 private:
  friend class Storage;

  // Called once: within the call that gave the bytes back or relaid them in place, or when the last
  // view of borrowed bytes has gone. It may end the dependent and give back other storages.
  virtual void sourceGone() = 0;
  void leave();

  Dependent* next_;
  Dependent** link_;  // what points to this one; null when it was told
};

}  // namespace packed
