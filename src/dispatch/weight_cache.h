// WeightCache: weights relaid once and used many times. It is bounded in bytes and the least
// recently used one leaves first. An entry is found by what its source is, never by where it lies:
// the identity and the version of the storage, the layout and the encoding of the view. Bytes that
// were changed since (and announced: storage.h) are therefore relaid anew, and the stale copy is
// dropped. Once the source is closed, or relaid in place, nobody can ask for its copy again: the
// copy is given back within that call, as a CacheEvict event. (So scopes of weights are closed on
// the thread that multiplies by them.)
//
//   200 weights in turn within the budget: 200 relayouts in all, hits from then on.
//   A budget that the weights exceed by a little: the cache says so in CacheEvict events; no limit
//   on their number exists.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "tensor/prepack.h"

namespace packed {

class WeightCache {
 public:
  // At most `capacityBytes` of relaid weights at a time. `sink` may be null and must outlive the
  // cache.
  explicit WeightCache(uint64_t capacityBytes, TraceSink* sink = nullptr);
  WeightCache(const WeightCache&) = delete;
  WeightCache& operator=(const WeightCache&) = delete;

  struct Stats {
    uint64_t hits = 0;
    uint64_t misses = 0;
    uint64_t evictions = 0;
    uint64_t entries = 0;
    uint64_t bytes = 0;
    uint64_t capacityBytes = 0;
  };
  Stats stats() const;

  // Whether a weight of this size can be kept at all.
  bool holds(uint64_t bytes) const { return bytes <= capacity_; }

  // `w` in `order`: what was relaid before (CacheHit), or relaid now and kept (CacheMiss, and the
  // AdapterInserted of the relayout), after as many CacheEvict as it needs. LIMIT_EXCEEDED when it
  // is larger than the whole cache; else the errors of prepack. The view is valid until it is
  // evicted: use it before the next call.
  Result<TensorView> relaid(const TensorView& w, BlockOrder order);

  // Drops everything, as CacheEvict events; the cache can be used again.
  void clear();

 private:
  struct Source {
    uint64_t identity;
    uint64_t arrangements;
    Encoding encoding;
    BlockOrder order;  // wanted
    Layout layout;
    friend bool operator==(const Source&, const Source&) = default;
  };
  struct Entry;
  using Entries = std::list<Entry>;
  struct Place {
    uint64_t key;  // hash of the source
    Entries::iterator entry;
  };
  struct Entry final : Dependent {
    Entry(WeightCache& owner, const Source& key, const TensorView& w, const TensorView& made)
        : Dependent(*w.storage()),
          cache(owner),
          source(key),
          version(w.storage()->version()),
          view(made) {}
    void sourceGone() override;

    WeightCache& cache;
    Source source;
    uint64_t version;
    TensorView view;
    std::size_t place = 0;  // in places_
  };

  static uint64_t keyOf(const Source& source);
  Entries::iterator find(const Source& source);
  void evict(Entries::iterator entry, std::string_view why);
  void tell(TraceKind kind, const TensorView& w, std::string_view why) const;

  uint64_t capacity_;
  TraceSink* sink_;
  Scope scope_;
  Stats stats_;
  // Most recently used first.
  Entries entries_;
  // Where each is, in no order. Searched from end to end, 16 bytes an entry: a model of experts has
  // thousands of weights, and what is multiplied with each may take a few microseconds.
  std::vector<Place> places_;
};

}  // namespace packed
