#include "tensor/scope.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/allocate.h"
#include "base/checked.h"
#include "base/clock.h"

namespace packed {
namespace {

void tell(TraceSink* sink, TraceKind kind, const std::string& scope, std::string_view what,
          uint64_t bytes) {
  if (!sink) return;
  TraceEvent event;
  event.kind = kind;
  event.what = what;
  event.scope = scope;
  event.bytes = bytes;
  event.startNanos = nowNanos();
  sink->record(event);
}

// The small objects that are made next of a weight outlive it where somebody holds a view, and would
// leave its scope's memory in pieces if they stood right behind it: so room for them is left before.
uint8_t* allocateBehindRoom(uint64_t size) {
  // Not in lines: of one size with what is given back, the room of the weight before is found again.
  constexpr std::size_t kRoom = (1 << 20) - 4;
  if (size < kRoom) return allocateLines(size);
  void* volatile room = std::malloc(kRoom);  // volatile: otherwise compilers leave the pair out
  uint8_t* start = allocateLines(size);
  std::free(room);
  return start ? start : allocateLines(size);
}

}  // namespace

Scope::Scope(std::string name, TraceSink* sink, uint64_t limit)
    : name_(std::move(name)), sink_(sink), limit_(limit) {}

Scope::~Scope() { close(); }

Error Scope::noMemory(uint64_t size, std::string_view purpose) const {
  const std::string limit = limit_ == UINT64_MAX ? "" : joined(" of at most ", limit_);
  return refuse(ErrorCode::OUT_OF_MEMORY, "no memory for ", size, " bytes of ", purpose,
                " in scope \"", name_, "\", which holds ", bytesLive_, limit,
                " bytes; close what is no longer needed, or work in place or by parts")
      .wanted(joined(size, " bytes"), joined(bytesLive_, limit, " bytes"));
}

Result<std::shared_ptr<Storage>> Scope::allocate(uint64_t size, std::string_view purpose) {
  if (closed_) {
    return refuse(ErrorCode::SCOPE_CLOSED, "scope \"", name_,
                  "\" is closed; nothing can be made in it");
  }
  if (!fitsAddressSpace(size)) {
    return refuse(ErrorCode::SIZE_OVERFLOW, size, " bytes for ", purpose,
                  " are more than this machine can address");
  }
  if (size > limit_ - bytesLive_) return noMemory(size, purpose);
  uint8_t* start = allocateBehindRoom(size);
  if (!start) return noMemory(size, purpose);
  std::shared_ptr<Storage> storage(new Storage());
  storage->start_ = start;
  storage->size_ = size;
  storage->owned_ = true;
  storage->slot_ = storages_.size();
  storages_.push_back(storage);
  bytesLive_ += size;
  bytesPeak_ = std::max(bytesPeak_, bytesLive_);
  tell(sink_, TraceKind::Allocation, name_, purpose, size);
  return storage;
}

void Scope::free(Storage& storage) {
  std::free(storage.start_);
  storage.start_ = nullptr;
  storage.open_ = false;
  storage.closedBy_ = name_;
  bytesLive_ -= storage.size_;
  storage.tellDependents();
}

Status Scope::release(const Storage& storage) {
  const std::size_t slot = storage.slot_;
  if (slot >= storages_.size() || storages_[slot].get() != &storage) {
    return refuse(ErrorCode::INVALID_ARGUMENT, "scope \"", name_, "\" does not own this storage");
  }
  // The last one takes the slot: giving back one of many must not cost a search. Before anything is
  // told, as those who are may give back others.
  std::swap(storages_[slot], storages_.back());
  storages_[slot]->slot_ = slot;
  const std::shared_ptr<Storage> leaving = std::move(storages_.back());
  storages_.pop_back();
  free(*leaving);
  tell(sink_, TraceKind::Free, name_, "", leaving->size());
  return Done{};
}

void Scope::freeAll() {
  const auto leaving = std::exchange(storages_, {});
  for (const auto& storage : leaving) free(*storage);
}

void Scope::reset() {
  const uint64_t bytes = bytesLive_;
  freeAll();
  tell(sink_, TraceKind::ScopeReset, name_, "reset", bytes);
}

void Scope::close() {
  if (closed_) return;
  const uint64_t bytes = bytesLive_;
  const bool any = !storages_.empty();
  freeAll();
  closed_ = true;
  if (any) tell(sink_, TraceKind::Free, name_, "close", bytes);
}

}  // namespace packed
