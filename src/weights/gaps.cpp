#include "weights/gaps.h"

#include <algorithm>

#include "weights/block_match.h"
#include "weights/byte_search.h"

namespace packed {
namespace {

constexpr uint64_t kLeast = 8;      // bytes: fewer stand somewhere by chance
constexpr std::size_t kMostOf = 4;  // pieces of each sort: more only say the same

// The pieces of gaps that may tell something. A window is one; of values one by one, several.
class Pieces {
 public:
  explicit Pieces(const Observation& seen) : seen_(seen) {
    const uint64_t values = std::max<uint64_t>(kLeast, 2 * uint64_t{seen.blockBytes});
    size_ = seen.plain() ? std::max(values, seen.windowBytes()) : seen.windowBytes();
  }

  // Whether the piece stands where it belongs; any other may be kept, to be searched by `stand`.
  bool add(uint64_t from, uint64_t end) {
    const Bytes piece = seen_.observed.subspan(from, end - from);
    if (piece.size() < kLeast || isFiller(piece)) return false;
    if (end <= seen_.right.size() &&
        sameBytes(piece.data(), seen_.right.data() + from, piece.size())) {
      return true;
    }
    // The blocks of a placement fixture are one byte again and again, and so may padding be.
    const bool uniform = isUniform(piece);
    std::vector<Bytes>& like = uniform ? uniform_ : varied_;
    const bool known = uniform && std::any_of(like.begin(), like.end(),
                                              [&](Bytes other) { return other[0] == piece[0]; });
    if (piece.size() >= size_ && like.size() < kMostOf && !known) like.push_back(piece);
    return false;
  }

  uint64_t size() const { return size_; }
  bool enough() const { return varied_.size() == kMostOf; }
  bool stand() const {
    return countStanding(varied_, seen_.right, 1) > 0 ||
           countStanding(uniform_, seen_.right, 1) > 0;
  }

 private:
  const Observation& seen_;
  uint64_t size_;
  std::vector<Bytes> varied_, uniform_;
};

}  // namespace

bool gapsHoldBlocks(const Observation& seen, const Hypothesis& hypothesis) {
  Pieces pieces(seen);
  uint64_t from = 0;  // what is unknowable from there on has not been looked at
  for (uint64_t window = 0; window < seen.windows() && !pieces.enough(); ++window) {
    const uint64_t start = window * seen.windowBytes();
    const uint64_t end = start + seen.lengthAt(window);
    if (hypothesis.at(window) != Fit::UNKNOWABLE) {
      from = end;
    } else if (end - from >= pieces.size() || end == seen.observed.size()) {
      if (pieces.add(from, end)) return true;
      from = end;
    }
  }
  return pieces.stand();
}

}  // namespace packed
