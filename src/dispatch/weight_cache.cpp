#include "dispatch/weight_cache.h"

#include "base/clock.h"
#include "tensor/adapter.h"

namespace packed {

WeightCache::WeightCache(uint64_t capacityBytes, TraceSink* sink)
    : capacity_(capacityBytes), sink_(sink), scope_("weight cache", sink) {}

WeightCache::Stats WeightCache::stats() const {
  Stats stats = stats_;
  stats.entries = entries_.size();
  stats.bytes = scope_.bytesLive();
  stats.capacityBytes = capacity_;
  return stats;
}

void WeightCache::tell(TraceKind kind, const TensorView& w, std::string_view why) const {
  if (!sink_) return;
  TraceEvent event;
  event.kind = kind;
  event.target = shapeText(w);
  event.to = nameOf(kind == TraceKind::CacheMiss ? otherOrder(w.order()) : w.order());
  event.scope = scope_.name();
  event.reason = why;
  event.bytes = w.packedSize();
  event.startNanos = nowNanos();
  sink_->record(event);
}

void WeightCache::evict(Entries::iterator entry, std::string_view why) {
  ++stats_.evictions;
  tell(TraceKind::CacheEvict, entry->view, why);
  static_cast<void>(scope_.release(*entry->view.storage()).ok());
  // The last place takes that of what leaves.
  places_.back().entry->place = entry->place;
  places_[entry->place] = places_.back();
  places_.pop_back();
  entries_.erase(entry);
}

void WeightCache::Entry::sourceGone() {
  cache.evict(cache.places_[place].entry, "its source is gone");
}

uint64_t WeightCache::keyOf(const Source& source) {
  uint64_t key = source.identity;
  for (const uint64_t part : {source.layout.placeOf(0, 0, 0), source.arrangements,
                              static_cast<uint64_t>(source.encoding)}) {
    key = (key ^ part) * 0x9E3779B97F4A7C15u;
    key ^= key >> 32;
  }
  return key;
}

WeightCache::Entries::iterator WeightCache::find(const Source& source) {
  const uint64_t key = keyOf(source);
  for (const Place& place : places_) {
    if (place.key == key && place.entry->source == source) return place.entry;
  }
  return entries_.end();
}

Result<TensorView> WeightCache::relaid(const TensorView& w, BlockOrder order) {
  if (w.order() == order) return w;
  PACKED_CHECK(w.storageBytes());
  const Source source = {w.storage()->identity(), w.storage()->arrangements(), w.encoding(), order,
                         w.layout()};
  const auto entry = find(source);
  if (entry != entries_.end()) {
    if (entry->version == w.storage()->version()) {
      ++stats_.hits;
      entries_.splice(entries_.begin(), entries_, entry);
      tell(TraceKind::CacheHit, entry->view, "");
      return entry->view;
    }
    evict(entry, "the weight's bytes were changed");
  }
  const uint64_t bytes = w.packedSize();
  ++stats_.misses;
  if (!holds(bytes)) {
    tell(TraceKind::CacheMiss, w, "larger than the whole cache");
    return refuse(ErrorCode::LIMIT_EXCEEDED, "a weight of ", bytes, " bytes and a cache of ",
                  capacity_,
                  ": give the session more cacheBytes, or prepack the weight once and keep it");
  }
  tell(TraceKind::CacheMiss, w, "");
  while (scope_.bytesLive() + bytes > capacity_) {
    evict(std::prev(entries_.end()), "least recently used");
  }
  PACKED_TRY(made, prepack(w, order, scope_, sink_));
  entries_.emplace_front(*this, source, w, made).place = places_.size();
  places_.push_back({keyOf(source), entries_.begin()});
  return made;
}

void WeightCache::clear() {
  while (!entries_.empty()) evict(std::prev(entries_.end()), "cleared");
}

}  // namespace packed
