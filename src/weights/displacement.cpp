// The right bytes at the wrong distance: from the start of the memory (shifts), or line from line
// and block from block (strides).
#include <algorithm>

#include "weights/block_match.h"
#include "weights/byte_search.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"

namespace packed {
namespace {

constexpr std::size_t kFewest = 4;      // bytes: fewer stand somewhere in most references
constexpr std::size_t kMostPlaces = 8;  // of a repeated start; more only repeat the same doubt

// The first places at or after `from` and before `limit` where `key` stands in `bytes`.
std::vector<uint64_t> placesOf(Bytes key, Bytes bytes, uint64_t from, uint64_t limit) {
  std::vector<uint64_t> places;
  if (key.empty()) return places;
  const Bytes within = bytes.first(std::min<uint64_t>(limit + key.size() - 1, bytes.size()));
  while (places.size() < kMostPlaces) {
    const uint64_t at = findBytes(key, within, from);
    if (at >= within.size()) break;
    places.push_back(at);
    from = at + 1;
  }
  return places;
}

// Some bytes, and where they stand in those they were taken from.
struct Anchor {
  uint64_t at = 0;
  Bytes key;
};

// What begins `bytes`: long enough to be rare, short enough to be whole after a shift of half a
// block.
Bytes startOf(Bytes bytes) {
  return bytes.first(std::min<std::size_t>((bytes.size() + 1) / 2, 16));
}

// What ends the repetitions of a start that comes round again and again, as rows of zeros do: where
// it stands says more than where one of the many does.
Anchor endOfRepeats(Bytes bytes) {
  const Bytes start = startOf(bytes);
  const uint64_t period = findBytes(start, bytes, 1);
  uint64_t end = 0;
  while (end + period < bytes.size() && bytes[end] == bytes[end + period]) ++end;
  if (end + period + start.size() / 2 >= bytes.size()) return {};
  const uint64_t at = end + period - start.size() / 2;
  return {at, bytes.subspan(at, start.size())};
}

// A hypothesis twice is the same work twice.
void addNew(std::vector<uint64_t>& places, uint64_t place) {
  if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
}

// How far behind its place in `bytes` what they begin with stands in `others`, wherever it does;
// and what ends its repetitions, where it stands too often.
std::vector<uint64_t> distancesOf(Bytes bytes, Bytes others) {
  std::vector<uint64_t> distances = placesOf(startOf(bytes), others, 1, others.size());
  if (distances.size() < kMostPlaces) return distances;
  const Anchor anchor = endOfRepeats(bytes);
  for (const uint64_t at : placesOf(anchor.key, others, anchor.at + 1, others.size())) {
    addNew(distances, at - anchor.at);
  }
  return distances;
}

std::string distance(const Observation& seen, uint64_t bytes) {
  const uint64_t line = seen.expected.order == BlockOrder::ROW_MAJOR ? seen.grid.blocksPerRow : 0;
  if (line > 1 && bytes % (line * seen.blockBytes) == 0) {
    return counted(bytes / (line * seen.blockBytes), "row");
  }
  if (bytes % seen.blockBytes == 0) return counted(bytes / seen.blockBytes, seen.noun());
  return counted(bytes, "byte");
}

// Observed byte i is right byte i + shift; outside of them nothing is known, or they come round
// again.
Fit fitShifted(const Observation& seen, uint64_t window, int64_t shift, bool round) {
  const auto size = static_cast<int64_t>(seen.right.size());
  int64_t from = static_cast<int64_t>(window * seen.windowBytes()) + shift;
  auto length = static_cast<int64_t>(seen.lengthAt(window));
  const uint8_t* at = seen.seenAt(window);
  if (round) {
    from = (from % size + size) % size;
    const int64_t first = std::min(length, size - from);
    return sameBytes(at, seen.right.data() + from, static_cast<uint64_t>(first)) &&
                   sameBytes(at + first, seen.right.data(), static_cast<uint64_t>(length - first))
               ? Fit::FITS
               : Fit::MISFIT;
  }
  if (from < 0) {
    at -= from;
    length += from;
    from = 0;
  }
  length = std::min(length, size - from);
  if (length <= 0) return Fit::UNKNOWABLE;
  if (!sameBytes(at, seen.right.data() + from, static_cast<uint64_t>(length))) return Fit::MISFIT;
  return 2 * length < static_cast<int64_t>(seen.lengthAt(window)) ? Fit::UNKNOWABLE : Fit::FITS;
}

// What is left once so many bytes in front are skipped: the weight, the weight and more, or not all
// of it.
std::string skipCall(const Observation& seen, uint64_t bytes) {
  const uint64_t end = bytes + seen.right.size();
  const uint64_t actual = seen.observed.size();
  if (actual > end) {
    return joined("skip them: bytes.subarray(", bytes, ", ", end, ") are the ", seen.noun(), "s");
  }
  std::string call =
      joined("skip them: bytes.subarray(", bytes, ") is where the ", seen.noun(), "s begin");
  if (actual < end) {
    call += joined("; the last ", counted(end - actual, "byte"), " of the weight ",
                   are(end - actual), " missing then");
  }
  return call;
}

void proposeShift(const Observation& seen, Hypotheses& to, int64_t shift) {
  const bool late = shift < 0;
  const auto bytes = static_cast<uint64_t>(late ? -shift : shift);
  const std::string far = distance(seen, bytes);
  // First: what explains the part of a block in front as well loses nothing.
  if (seen.sameSize()) {
    to.push_back(
        {DiagnosisKind::SHIFTED,
         joined("rotated by ", distance(seen, std::min(bytes, seen.right.size() - bytes))),
         joined("rotate back: nothing is lost, and the weight begins at bytes.subarray(",
                late ? bytes : seen.right.size() - bytes, ")"),
         [&seen, shift](uint64_t window) { return fitShifted(seen, window, shift, true); }});
  }
  to.push_back(
      {DiagnosisKind::SHIFTED, joined(far, late ? " too many in front" : " of the start missing"),
       late ? skipCall(seen, bytes)
            : joined("read from ", counted(bytes, "byte"), " earlier; the first ", far, " ",
                     far.starts_with("1 ") ? "is" : "are", " not in these bytes"),
       [&seen, shift](uint64_t window) { return fitShifted(seen, window, shift, false); }});
}

// Line `l` of the right bytes starts at l * stride of the observed ones.
struct Lines {
  uint64_t count = 0;
  uint64_t length = 0;  // bytes of one line
};

Lines linesOf(const Observation& seen, BlockOrder order) {
  const bool rows = order == BlockOrder::ROW_MAJOR;
  return {rows ? seen.grid.out : seen.grid.blocksPerRow,
          (rows ? seen.grid.blocksPerRow : seen.grid.out) * seen.blockBytes};
}

Fit fitStride(const Observation& seen, uint64_t window, Lines lines, uint64_t stride) {
  uint64_t from = window * seen.windowBytes();
  const uint64_t end = from + seen.lengthAt(window);
  uint64_t known = 0;
  while (from < end) {
    const uint64_t line = from / stride;
    if (line >= lines.count) return Fit::MISFIT;
    const uint64_t inLine = from % stride;
    const uint64_t next = std::min(end, (line + 1) * stride);
    if (inLine < lines.length) {
      const uint64_t length = std::min(next - from, lines.length - inLine);
      if (!sameBytes(seen.observed.data() + from, seen.right.data() + line * lines.length + inLine,
                     length)) {
        return Fit::MISFIT;
      }
      known += length;
    }
    from = next;
  }
  // A line that begins inside of a block's window fills as many of them by half or more as it has
  // blocks.
  return 2 * known < std::min<uint64_t>(seen.lengthAt(window), seen.blockBytes) ? Fit::UNKNOWABLE
                                                                                : Fit::FITS;
}

void proposeStride(const Observation& seen, Hypotheses& to, Lines lines, std::string_view what,
                   uint64_t stride) {
  const auto unit = [&](uint64_t bytes) {
    return bytes % seen.blockBytes == 0 ? counted(bytes / seen.blockBytes, seen.noun())
                                        : counted(bytes, "byte");
  };
  const uint64_t present = (seen.observed.size() + stride - lines.length) / stride;
  to.push_back(
      {DiagnosisKind::PADDED_STRIDE,
       joined("stride ", unit(stride), " in the bytes, ", unit(lines.length), " expected"),
       stride < lines.length
           ? joined("the last ", unit(lines.length - stride), " of each of the ", what, " ",
                    unit(lines.length - stride).starts_with("1 ") ? "is" : "are",
                    " missing: write them whole")
           : joined("copy ", lines.length, " bytes of every ", stride, ": ", what,
                    " stand next to each other without padding",
                    present < lines.count
                        ? joined("; the last ", lines.count - present, " are not in these bytes")
                        : ""),
       [&seen, lines, stride](uint64_t window) { return fitStride(seen, window, lines, stride); },
       0, nullptr, nullptr, lines.count == 2});
}

// Wherever the second line may begin, and where it does if all are padded alike: what it begins
// with may stand in too many places.
void proposeStridesOf(const Observation& seen, Hypotheses& to, Lines lines, std::string_view what) {
  if (lines.count < 2) return;
  const Bytes rest = seen.right.subspan(lines.length);
  const Bytes second = startOf(rest).first(std::min<uint64_t>(lines.length, startOf(rest).size()));
  std::vector<uint64_t> strides =
      placesOf(second, seen.observed, seen.blockBytes, 2 * lines.length + 4096);
  const uint64_t even = seen.observed.size() / lines.count;
  if (even > lines.length && even * lines.count == seen.observed.size()) addNew(strides, even);
  for (const uint64_t stride : strides) {
    if (stride != lines.length) proposeStride(seen, to, lines, what, stride);
  }
}

}  // namespace

void proposeShifts(const Observation& seen, Hypotheses& to) {
  if (seen.right.empty() || seen.observed.size() < kFewest) return;
  for (const uint64_t late : distancesOf(seen.right, seen.observed)) {
    proposeShift(seen, to, -static_cast<int64_t>(late));
  }
  for (const uint64_t early : distancesOf(seen.observed, seen.right)) {
    proposeShift(seen, to, static_cast<int64_t>(early));
  }
}

void proposeStrides(const Observation& seen, Hypotheses& to) {
  if (seen.right.empty() || seen.observed.size() < kFewest) return;
  const auto propose = [&](Lines lines, std::string_view what) {
    proposeStridesOf(seen, to, lines, what);
    // So far apart that the second line is not in these bytes.
    if (seen.observed.size() > lines.length) {
      proposeStride(seen, to, lines, what, seen.observed.size());
    }
  };
  const BlockOrder order = seen.expected.order;
  const Lines lines = linesOf(seen, order), others = linesOf(seen, otherOrder(order));
  propose(lines, "lines");
  if (lines.count == 1 || others.count == 1) {
    // Both orders are the same bytes: a line may be all of them or a block.
    propose(others, "lines");
  } else if (!seen.plain() && lines.length > seen.blockBytes && seen.blocks > 2) {
    // A struct that a compiler rounded up is farther from the next than a block is long.
    proposeStridesOf(seen, to, {seen.blocks, seen.blockBytes}, "blocks");
  }
}

}  // namespace packed
