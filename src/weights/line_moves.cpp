// Whole rows, or whole columns of blocks, in other places. Lines are compared by a hash of their
// blocks, so that any permutation is found in one pass over the bytes; blocks are compared again
// byte for byte when the hypothesis is asked.
#include <algorithm>
#include <memory>

#include "weights/block_match.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"

namespace packed {
namespace {

enum class Axis : uint8_t { ROWS, COLUMNS };

std::vector<uint64_t> lineHashes(const Observation& seen, const uint8_t* bytes, Axis axis) {
  const bool rowMajor = seen.expected.order == BlockOrder::ROW_MAJOR;
  const uint64_t outer = rowMajor ? seen.grid.out : seen.grid.blocksPerRow;
  const uint64_t inner = rowMajor ? seen.grid.blocksPerRow : seen.grid.out;
  const bool alongOuter = rowMajor == (axis == Axis::ROWS);
  std::vector<uint64_t> hashes(alongOuter ? outer : inner);
  for (uint64_t i = 0; i < outer; ++i) {
    for (uint64_t j = 0; j < inner; ++j, bytes += seen.blockBytes) {
      uint64_t& hash = hashes[alongOuter ? i : j];
      hash = hash * 0x9E3779B97F4A7C15u + hashOf(bytes, seen.blockBytes);
    }
  }
  return hashes;
}

// Line l of the observed bytes is line `from[l]` of the right ones; nothing is known of kNone.
constexpr uint64_t kNone = UINT64_MAX;
using LineMap = std::vector<uint64_t>;

void propose(const Observation& seen, Hypotheses& to, DiagnosisKind kind, Axis axis, LineMap map,
             std::string variant, std::string fix) {
  const auto from = std::make_shared<const LineMap>(std::move(map));
  to.push_back({kind, std::move(variant), std::move(fix), [&seen, axis, from](uint64_t window) {
                  BlockAt at = blockAt(seen.expected.order, seen.grid, window);
                  uint64_t& line = axis == Axis::ROWS ? at.o : at.b;
                  line = (*from)[line];
                  if (line == kNone) return Fit::UNKNOWABLE;
                  return sameBytes(seen.seenAt(window), seen.referenceAt(at), seen.blockBytes)
                             ? Fit::FITS
                             : Fit::MISFIT;
                }});
}

template <class From>
bool isMap(const std::vector<uint64_t>& found, const std::vector<uint64_t>& right, From from) {
  for (uint64_t l = 0; l < found.size(); ++l) {
    if (found[l] != right[from(l)]) return false;
  }
  return true;
}

struct Lines {
  std::vector<uint64_t> found;
  std::vector<uint64_t> right;
  uint64_t count() const { return right.size(); }
};

// Rotations and shifts along one axis. True when the lines are a rotation.
bool proposeMoves(const Observation& seen, Hypotheses& to, Axis axis, const Lines& lines) {
  const std::string_view noun = axis == Axis::ROWS ? "row" : seen.noun();
  const uint64_t n = lines.count();
  bool rotation = false;
  std::size_t tried = 0;
  for (uint64_t by = 1; by < n && tried < 4; ++by) {
    const bool early = lines.found[0] == lines.right[by];
    const bool late = lines.found[by] == lines.right[0];
    if (!early && !late) continue;
    ++tried;
    if (early && isMap(lines.found, lines.right, [&](uint64_t l) { return (l + by) % n; })) {
      rotation = true;
      LineMap map(n);
      for (uint64_t l = 0; l < n; ++l) map[l] = (l + by) % n;
      const uint64_t less = std::min(by, n - by);
      const std::string_view within = axis == Axis::ROWS ? "" : " in each row";
      propose(seen, to, DiagnosisKind::SHIFTED, axis, std::move(map),
              joined("rotated by ", counted(less, noun), within),
              joined("rotate back", within, ": ", noun, " 0 stands in place ", n - by,
                     ", nothing is lost"));
      continue;
    }
    LineMap map(n, kNone);
    for (uint64_t l = 0; l < n; ++l) {
      if (early && l + by < n) map[l] = l + by;
      if (!early && l >= by) map[l] = l - by;
    }
    propose(
        seen, to, DiagnosisKind::SHIFTED, axis, std::move(map),
        joined(counted(by, noun), early ? " early" : " late",
               axis == Axis::ROWS ? "" : " in each row"),
        joined(axis == Axis::ROWS ? "" : "in each row, ", "start ", counted(by, noun),
               early ? joined(" earlier: the first ", noun, by == 1 ? " is" : "s are", " missing")
                     : std::string(" later: what stands first does not belong there")));
  }
  return rotation;
}

// Query and key rows of attention heads come half-split (0 1 2 .. of the even dimensions, then the
// odd ones) or interleaved, depending on who wrote them.
std::string patternOf(const Lines& lines) {
  const uint64_t n = lines.count();
  const auto is = [&](auto from) { return isMap(lines.found, lines.right, from); };
  if (is([&](uint64_t l) { return n - 1 - l; })) return "rows in reverse";
  for (uint64_t head = 4; head <= n; head += 2) {
    if (n % head != 0) continue;
    const uint64_t half = head / 2;
    const bool interleaved =
        is([&](uint64_t l) { return l - l % head + l % head % 2 * half + l % head / 2; });
    const bool split =
        is([&](uint64_t l) { return l - l % head + l % head % half * 2 + l % head / half; });
    if (!interleaved && !split) continue;
    // In heads of 4 one is the other: 0 2 1 3.
    return joined(interleaved && split ? "interleaved and half-split exchanged"
                  : interleaved        ? "interleaved where half-split is expected"
                                       : "half-split where interleaved is expected",
                  ", heads of ", head, " rows");
  }
  return "";
}

// Where each observed row comes from, when they are the right rows in another sequence.
std::optional<LineMap> permutationOf(const Lines& lines) {
  std::vector<std::pair<uint64_t, uint64_t>> right;
  right.reserve(lines.count());
  for (uint64_t l = 0; l < lines.count(); ++l) right.push_back({lines.right[l], l});
  std::sort(right.begin(), right.end());
  std::vector<std::pair<uint64_t, uint64_t>> found;
  found.reserve(lines.count());
  for (uint64_t l = 0; l < lines.count(); ++l) found.push_back({lines.found[l], l});
  std::sort(found.begin(), found.end());
  LineMap map(lines.count());
  for (uint64_t i = 0; i < right.size(); ++i) {
    if (right[i].first != found[i].first) return std::nullopt;
    map[found[i].second] = right[i].second;
  }
  return map;
}

bool allDistinct(std::vector<uint64_t> hashes) {
  std::sort(hashes.begin(), hashes.end());
  return std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end();
}

std::string beginning(const LineMap& map) {
  std::string text;
  const std::size_t shown = std::min<std::size_t>(map.size(), 8);
  for (std::size_t l = 0; l < shown; ++l) text += joined(l == 0 ? "" : " ", map[l]);
  return joined("rows found: ", text, map.size() > shown ? " .." : "");
}

}  // namespace

void proposeRowPermutations(const Observation& seen, Hypotheses& to) {
  if (!seen.sameSize() || seen.blocks == 0) return;
  const auto linesAlong = [&](Axis axis) {
    return Lines{lineHashes(seen, seen.observed.data(), axis),
                 lineHashes(seen, seen.right.data(), axis)};
  };
  // A vector of values has a value per row: it goes with the rows of a matrix, as biases do.
  const bool vector = seen.plain() && seen.grid.out == 1;
  if (!vector && seen.run == 1) proposeMoves(seen, to, Axis::COLUMNS, linesAlong(Axis::COLUMNS));
  const Axis axis = vector ? Axis::COLUMNS : Axis::ROWS;
  const Lines rows = linesAlong(axis);
  // A rotation of three or more rows is a shift; of two, or of rows some of which are equal, it is
  // an exchange as well.
  if (proposeMoves(seen, to, axis, rows) && rows.count() > 2 && allDistinct(rows.right)) return;
  auto map = permutationOf(rows);
  if (!map) return;
  std::string variant = patternOf(rows);
  if (variant.empty()) variant = beginning(*map);
  propose(
      seen, to, DiagnosisKind::ROW_PERMUTATION, axis, std::move(*map), std::move(variant),
      "put the rows back where the model's code expects them when converting: what is inside a row "
      "is untouched, so whole rows can be copied");
}

}  // namespace packed
