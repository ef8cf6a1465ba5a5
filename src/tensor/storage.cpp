#include "tensor/storage.h"

#include <atomic>

namespace packed {

Storage::Storage() {
  static std::atomic<uint64_t> last{0};
  identity_ = ++last;
}

std::shared_ptr<Storage> Storage::borrow(Bytes bytes) {
  std::shared_ptr<Storage> storage(new Storage());
  // Never written through: writableBytes refuses what is not owned.
  storage->start_ = const_cast<uint8_t*>(bytes.data());
  storage->size_ = bytes.size();
  return storage;
}

Storage::~Storage() { tellDependents(); }

Result<Bytes> Storage::bytes() const {
  if (open_) return Bytes(start_, static_cast<std::size_t>(size_));
  return refuse(
      ErrorCode::SCOPE_CLOSED, "scope \"", closedBy_, "\" owned these ", size_,
      " bytes and has given them back; use the value before its scope is closed, or make it "
      "in a longer-lived scope");
}

Result<MutableBytes> Storage::writableBytes() {
  PACKED_TRY(readable, bytes());
  if (!owned_) {
    return refuse(ErrorCode::WRITE_REFUSED, "borrowed bytes are read only: copy them into a scope");
  }
  markChanged();
  return MutableBytes(start_, readable.size());
}

void Storage::arrange(const Arrangement& arrangement) {
  arrangement_ = arrangement;
  ++arrangements_;
  tellDependents();
}

void Storage::tellDependents() {
  while (Dependent* first = dependents_) {
    first->leave();
    first->sourceGone();
  }
}

Dependent::Dependent(Storage& source) : next_(source.dependents_), link_(&source.dependents_) {
  if (next_) next_->link_ = &next_;
  source.dependents_ = this;
}

void Dependent::leave() {
  if (!link_) return;
  *link_ = next_;
  if (next_) next_->link_ = link_;
  link_ = nullptr;
}

}  // namespace packed
