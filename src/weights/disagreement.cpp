#include "weights/disagreement.h"

#include <algorithm>

#include "encoding/codec.h"
#include "weights/block_match.h"

namespace packed {
namespace {

std::string text(BlockAt at) { return joined("(", at.o, ",", at.b, ")"); }

// The first place that differs, among the whole blocks that are there.
uint64_t firstDiffering(const Expected& expected, Bytes observed, uint64_t present) {
  const GridStrides strides = stridesOf(expected.referenceOrder, expected.grid);
  for (uint64_t flat = 0; flat < present; ++flat) {
    const BlockAt at = blockAt(expected.order, expected.grid, flat);
    const uint8_t* wanted =
        expected.reference.data() + strides.at(at.o, at.b) * expected.blockBytes;
    if (!sameBytes(observed.data() + flat * expected.blockBytes, wanted, expected.blockBytes))
      return flat;
  }
  return present;
}

// Differing places among the first `present` of the memory order: whole lines of it as a grid, and
// the begun line as another.
uint64_t countAmong(const Expected& expected, Bytes observed, uint64_t present) {
  const bool rows = expected.order == BlockOrder::ROW_MAJOR;
  const GridStrides own = stridesOf(expected.order, expected.grid);
  const GridStrides reference = stridesOf(expected.referenceOrder, expected.grid);
  const auto count = [&](BlockAt start, BlockGrid part) {
    if (part.out == 0 || part.blocksPerRow == 0) return uint64_t{0};
    return countDiffering(
        part,
        {observed.data() + own.at(start.o, start.b) * expected.blockBytes, own,
         expected.blockBytes},
        {expected.reference.data() + reference.at(start.o, start.b) * expected.blockBytes,
         reference, expected.blockBytes});
  };
  const uint64_t line = rows ? expected.grid.blocksPerRow : expected.grid.out;
  if (line == 0) return 0;
  const uint64_t lines = present / line;
  const uint64_t rest = present % line;
  return rows ? count({0, 0}, {lines, line}) + count({lines, 0}, {1, rest})
              : count({0, 0}, {line, lines}) + count({0, lines}, {rest, 1});
}

// "; the bytes end 3 bytes early: 213 of 216", or nothing.
std::string sizeText(const Disagreement& found) {
  if (found.actualBytes < found.expectedBytes) {
    return joined("; the bytes end ", found.expectedBytes - found.actualBytes,
                  " early: ", found.actualBytes, " of ", found.expectedBytes);
  }
  if (found.actualBytes > found.expectedBytes) {
    return joined("; ", found.actualBytes - found.expectedBytes,
                  " bytes too many: ", found.actualBytes, " where ", found.expectedBytes,
                  " belong");
  }
  return "";
}

std::string standingText(const BlockPlaces& places, bool there) {
  if (!there) return "is missing or cut off";
  if (places.count == 0) return "no block of the reference stands there";
  if (places.count == 1) return joined("block ", text(places.first[0]), " stands there");
  std::string list;
  for (const BlockAt at : places.first) list += joined(list.empty() ? "" : ", ", text(at));
  return joined("one of ", places.count, " equal blocks stands there: ", list,
                places.count > places.first.size() ? ", .." : "");
}

std::string messageOf(const Disagreement& found, const BlockPlaces& places,
                      const Expected& expected, bool there) {
  const std::string where =
      joined(nameOf(expected.encoding), ", ", expected.grid.out, " x ", expected.grid.blocksPerRow,
             " blocks in ", nameOf(expected.order));
  if (!found.belongs) {
    return joined(where, ": all ", found.total, " blocks are in their places", sizeText(found));
  }
  return joined(where, ": first block in the wrong place: flat ", found.flatIndex,
                " belongs to block ", text(*found.belongs), there ? ", but " : ", which ",
                standingText(places, there), "; ", found.misplaced, " of ", found.total,
                " misplaced", sizeText(found));
}

// What a value is, as text; nothing for encodings that cannot be decoded.
std::string valueText(const Expected& expected, const uint8_t* at) {
  float value = 0;
  if (!decodable(expected.encoding)) return "something else";
  decodeBlocks(expected.encoding, at, 1, &value);
  return joined(static_cast<double>(value));
}

// The stored number, highest byte first.
std::string hexText(const uint8_t* at, uint32_t bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (uint32_t i = bytes; i-- > 0;) {
    text += kDigits[at[i] >> 4];
    text += kDigits[at[i] & 15];
  }
  return text;
}

// "(0,1) is 4, the reference has 2"; with the bytes where both read the same: zeros of either sign,
// NaNs, and what a float cannot tell apart.
std::string differenceText(const Expected& expected, BlockAt at, const uint8_t* is,
                           const uint8_t* wanted) {
  std::string isText = valueText(expected, is);
  std::string wantedText = valueText(expected, wanted);
  if (isText == wantedText) {
    isText += joined(" (", hexText(is, expected.blockBytes), ")");
    wantedText += joined(" (", hexText(wanted, expected.blockBytes), ")");
  }
  return joined(text(at), " is ", isText, ", the reference has ", wantedText);
}

std::string valueMessageOf(const Disagreement& found, const Expected& expected, Bytes observed,
                           bool there) {
  const std::string where = joined(nameOf(expected.encoding), ", ", expected.grid.out, " x ",
                                   expected.grid.blocksPerRow, " values: ");
  if (!found.belongs) return joined(where, "all ", found.total, " are right", sizeText(found));
  const uint64_t at = found.flatIndex * expected.blockBytes;
  const uint8_t* wanted = expected.reference.data() + at;
  const std::string first =
      there ? differenceText(expected, *found.belongs, observed.data() + at, wanted)
            : joined(text(*found.belongs), " is missing, the reference has ",
                     valueText(expected, wanted));
  return joined(where, "first value that differs: ", first, "; ", found.misplaced, " of ",
                found.total, " differ", sizeText(found));
}

}  // namespace

Result<std::optional<Disagreement>> disagreement(Bytes observed, Encoding encoding,
                                                 const Expectation& expectation) {
  PACKED_TRY(expected, resolve(encoding, expectation));
  const uint64_t present =
      std::min<uint64_t>(observed.size() / expected.blockBytes, expected.blocks);
  Disagreement found;
  found.total = expected.blocks;
  found.expectedBytes = expected.size;
  found.actualBytes = observed.size();
  found.misplaced = countAmong(expected, observed, present) + expected.blocks - present;
  if (found.misplaced == 0 && observed.size() == expected.size) {
    return std::optional<Disagreement>();
  }
  found.flatIndex =
      found.misplaced == 0 ? expected.blocks : firstDiffering(expected, observed, present);
  const bool there = found.flatIndex < present;
  BlockPlaces places;
  if (found.flatIndex < expected.blocks) {
    found.belongs = blockAt(expected.order, expected.grid, found.flatIndex);
  }
  if (there) {
    places = placesOf(observed.data() + found.flatIndex * expected.blockBytes, expected.grid,
                      expected.referenceOrder, expected.reference.data(), expected.blockBytes);
    found.candidates = places.count;
    if (places.count == 1) found.found = places.first[0];
  }
  found.message = specOf(encoding).blocked() ? messageOf(found, places, expected, there)
                                             : valueMessageOf(found, expected, observed, there);
  return std::optional<Disagreement>(std::move(found));
}

}  // namespace packed
