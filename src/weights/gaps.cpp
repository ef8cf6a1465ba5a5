#include "weights/gaps.h"

#include <algorithm>

#include "weights/block_match.h"
#include "weights/byte_search.h"

namespace packed {
namespace {

constexpr uint64_t kLeast = 8;    // bytes: fewer stand somewhere by chance
constexpr std::size_t kMost = 4;  // pieces of each sort: more only say the same

bool standsInPlace(const Observation& seen, uint64_t from, Bytes piece) {
  return from + piece.size() <= seen.right.size() &&
         sameBytes(piece.data(), seen.right.data() + from, piece.size());
}

}  // namespace

bool gapsHoldBlocks(const Observation& seen, const Hypothesis& hypothesis) {
  // A window is a piece; of values one by one, several.
  const uint64_t values = std::max<uint64_t>(kLeast, 2 * uint64_t{seen.blockBytes});
  const uint64_t size = seen.plain() ? std::max(values, seen.windowBytes()) : seen.windowBytes();
  Pieces pieces(kMost);
  uint64_t from = 0;  // what is unknowable from there on has not been looked at
  for (uint64_t window = 0; window < seen.windows() && pieces.varied().size() < kMost; ++window) {
    const uint64_t end = window * seen.windowBytes() + seen.lengthAt(window);
    const bool open = hypothesis.at(window) == Fit::UNKNOWABLE;
    if (open && end - from < size && end < seen.observed.size()) continue;
    const Bytes piece = seen.observed.subspan(from, end - from);
    if (open && piece.size() >= kLeast) {
      if (!isFiller(piece) && standsInPlace(seen, from, piece)) return true;
      if (piece.size() >= size) pieces.keep(piece);
    }
    from = end;
  }
  return countStanding(pieces.varied(), seen.right, 1) > 0 ||
         countStanding(pieces.uniform(), seen.right, 1) > 0;
}

}  // namespace packed
