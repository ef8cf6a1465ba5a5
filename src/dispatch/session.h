// Session: multiplication by weights that are used again and again, with a cache that its owner
// sees, bounds and empties.
#pragma once

#include "dispatch/matmul.h"
#include "dispatch/weight_cache.h"

namespace packed {

struct SessionOptions {
  uint64_t cacheBytes = uint64_t{256} << 20;
  TraceSink* sink = nullptr;
};

class Session {
 public:
  // `registry` and the sink must outlive the session.
  explicit Session(const Registry& registry, const SessionOptions& options = {});

  // y = x * transpose(w), as matmul (matmul.h) and with its errors. A weight of blocks that do not
  // lie in the order of the packed kernels is relaid once, if there is a kernel to relay it for,
  // and reused until its bytes change, the cache needs the room or the weight's scope is closed
  // (weight_cache.h). What does not fit the cache is multiplied as it lies.
  Status matmulWeightTransposed(std::span<const float> x, const TensorView& w, std::span<float> y,
                                Activation activation = Activation::F32);

  WeightCache::Stats stats() const { return cache_.stats(); }
  void clear() { cache_.clear(); }

 private:
  Result<TensorView> fed(const TensorView& w, Activation activation);

  const Registry& registry_;
  TraceSink* sink_;
  WeightCache cache_;
  Workspace workspace_;
};

}  // namespace packed
