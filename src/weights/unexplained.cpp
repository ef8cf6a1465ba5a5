#include "weights/unexplained.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "encoding/block_anatomy.h"
#include "encoding/codec.h"
#include "weights/block_match.h"
#include "weights/byte_search.h"
#include "weights/census.h"
#include "weights/mending.h"
#include "weights/near_mistake.h"
#include "weights/readings.h"
#include "weights/remarks.h"
#include "weights/sample.h"
#include "weights/value_differences.h"

namespace packed {
namespace {

std::array<uint64_t, 256> histogramOf(Bytes bytes) {
  std::array<uint64_t, 256> counts{};
  for (const uint8_t byte : bytes) ++counts[byte];
  return counts;
}

// Bytes in another sequence, some added or some lost, keep their numbers: if any byte occurs more
// often than in the reference, none occurs less often.
bool mayBeRearranged(const Observation& seen) {
  if (seen.sameSize()) return seen.sameByteSums;
  const auto found = histogramOf(seen.observed);
  const auto right = histogramOf(seen.right);
  bool more = false;
  bool less = false;
  for (std::size_t value = 0; value < 256; ++value) {
    more |= found[value] > right[value];
    less |= found[value] < right[value];
  }
  return !(more && less);
}

// Whether pieces of what is wrong stand somewhere in the reference, at whatever distance. One value
// may do so by chance: then it takes most of the pieces.
bool piecesStandElsewhere(const Observation& seen) {
  const uint32_t unit = seen.plain() ? seen.blockBytes : 1;
  const std::size_t size = unit == 4 ? 4 : 8;
  const std::size_t enough = unit < 4 ? 1 : 8;
  if (seen.observed.size() < size) return false;
  const uint64_t starts = seen.observed.size() - size + 1;
  // Where the reference is long, searching it is dear, and few of its pieces are as good as none.
  const std::size_t most = seen.right.size() < 1 << 24 ? 16 : 4;
  constexpr std::size_t kSeveral = 3;  // of uniform pieces: one or two may do so by chance
  Pieces pieces(most);
  for (uint64_t i = 1; i <= 256; ++i) {
    const uint64_t at = scatteredAt(i, starts) / unit * unit;
    const Bytes piece = seen.observed.subspan(at, size);
    const bool right =
        at + size <= seen.right.size() && sameBytes(piece.data(), seen.right.data() + at, size);
    if (!right) pieces.keep(piece);
    if (pieces.varied().size() == most && pieces.uniform().empty()) break;
  }
  if (countStanding(pieces.uniform(), seen.right, kSeveral) >= kSeveral) return true;
  const std::size_t found = countStanding(pieces.varied(), seen.right, enough);
  return found >= enough || found * 2 > pieces.varied().size();
}

// The scales of all blocks, in whatever sequence: equal sums mean equal scales.
bool sameScales(const Observation& seen) {
  if (!seen.sameSize()) return false;
  uint64_t difference = 0;
  bool any = false;
  for (const BlockField& field : anatomyOf(seen.expected.encoding)) {
    if (!isFloat(field.type)) continue;
    any = true;
    for (uint64_t f = 0; f < seen.blocks; ++f) {
      difference += hashOf(seen.seenAt(f) + field.offset, field.bytes()) -
                    hashOf(seen.rightAt(f) + field.offset, field.bytes());
    }
  }
  return any && difference == 0;
}

bool partsAreTheReference(const Observation& seen) {
  return mayBeRearranged(seen) || sameScales(seen) || piecesStandElsewhere(seen);
}

// Nothing was written, or the same byte again and again: all of it, or most of what is wrong.
std::string monotonyOfFound(const Observation& seen) {
  if (isUniform(seen.observed)) {
    return joined("; every byte is ", static_cast<uint32_t>(seen.observed[0]),
                  ", as in memory or in a file that was never written");
  }
  if (!seen.sameSize() || seen.plain()) return "";
  uint64_t wrong = 0, uniform = 0;
  for (uint64_t f = 0; f < seen.blocks; ++f) {
    if (sameBytes(seen.seenAt(f), seen.rightAt(f), seen.blockBytes)) continue;
    ++wrong;
    uniform += isUniform({seen.seenAt(f), seen.blockBytes});
  }
  if (uniform * 2 <= wrong) return "";
  return joined("; ", counted(uniform, "block"), " of those ", uniform == 1 ? "holds" : "hold",
                " one byte again and again, as where nothing was written");
}

Diagnosis foreign(const Observation& seen, uint64_t explained, std::string_view counts) {
  Diagnosis result = undetermined(seen, "");
  const std::string monotony = monotonyOfFound(seen);
  result.kind = DiagnosisKind::FOREIGN;
  result.explained = explained;
  result.message =
      joined(introduction(seen), meaningOf(DiagnosisKind::FOREIGN), ": ", counts, monotony);
  const bool mostlyRight = seen.sameSize() && 2 * explained < result.total;
  result.fix = !monotony.empty() ? kFinishWriting : mostlyRight ? kCheckTheWriter : kCheckBothSides;
  return result;
}

Diagnosis nobodys(const Observation& seen, uint64_t explained, std::string_view counts) {
  Diagnosis result = foreign(seen, explained, counts);
  result.message += ". No single known mistake explains them";
  return result;
}

// What reads as the reference in another way is bytes that it does not hold.
Diagnosis readOtherwise(const Observation& seen, uint64_t explained, std::string_view counts,
                        const Reading& reading) {
  Diagnosis result = foreign(seen, explained, joined(counts, reading.text));
  result.fix = reading.fix;
  return result;
}

Diagnosis unexplainedValues(const Observation& seen, const Hypotheses& hypotheses) {
  const Reading reading = readingOf(seen);
  if (!seen.sameSize() || !decodable(seen.expected.encoding)) {
    if (!reading.text.empty()) {
      const std::string counts =
          joined(counted(seen.observed.size(), "byte"), " where ", seen.right.size(), " belong");
      return readOtherwise(seen, 0, counts, reading);
    }
    return undetermined(seen,
                        joined(counted(seen.observed.size(), "byte"), " where ", seen.right.size(),
                               " belong, and no known mistake explains "
                               "them",
                               sizeRemark(seen)));
  }
  const ValueDifferences found = differencesOf(seen);
  std::string counts = joined(found.count, " of ", seen.blocks, " values differ");
  if (std::isfinite(found.relativeRms)) {
    counts += joined(", by up to ", found.largest, " (relative RMS ", found.relativeRms, ")");
  }
  if (found.rounding) {
    return undetermined(seen, joined(counts,
                                     ": nearly the reference's values in their places, "
                                     "rounded or computed in another way"));
  }
  // Who computes in another way leaves few values as they are; few others are damage.
  const bool most = found.count * 2 > seen.blocks;
  if (reading.inPlace && most) return undetermined(seen, counts + reading.text);
  if (auto near = namedByValues(seen, hypotheses, counts)) return std::move(*near);
  if (!reading.text.empty() && !reading.inPlace) {
    return readOtherwise(seen, found.count, counts, reading);
  }
  if (partsAreTheReference(seen)) {
    return undetermined(seen, joined(counts,
                                     ", and parts of the reference stand in some other "
                                     "arrangement"));
  }
  return nobodys(seen, found.count, counts);
}

}  // namespace

std::string introduction(const Observation& seen) {
  const BlockGrid grid = seen.expected.grid;
  return joined(nameOf(seen.expected.encoding), ", ", grid.out, " x ", grid.blocksPerRow, " ",
                seen.noun(), "s, ", nameOf(seen.expected.order), " expected: ");
}

std::string_view monotonyOf(const Observation& seen) {
  uint64_t different = 0;
  std::array<bool, 256> met{};
  for (std::size_t i = 0; i < seen.right.size() && different < 3; ++i) {
    different += !met[seen.right[i]];
    met[seen.right[i]] = true;
  }
  if (different < 3) return "constant content: the reference has fewer than three different bytes";
  const uint32_t size = seen.blockBytes;
  const uint64_t count = seen.right.size() / size;
  const uint8_t* first = seen.right.data();
  const uint8_t* second = nullptr;
  for (const uint8_t* at = first; at < first + seen.right.size(); at += size) {
    if (sameBytes(at, first, size)) continue;
    if (second && !sameBytes(at, second, size)) return "";
    second = at;
  }
  if (count < 3 && !seen.plain()) return "";
  return seen.plain() ? "constant content: the reference has fewer than three different values"
                      : "constant content: the reference has fewer than three different blocks";
}

Diagnosis undetermined(const Observation& seen, std::string_view reason) {
  Diagnosis result;
  result.total = seen.count();
  result.message = joined(introduction(seen), "undetermined. ", reason);
  return result;
}

Result<Diagnosis> unexplained(const Observation& seen, const Hypotheses& hypotheses) {
  const std::string_view few = monotonyOf(seen);
  if (!few.empty())
    return undetermined(seen, joined("No known mistake explains it alone (", few, ")"));
  if (seen.plain()) return unexplainedValues(seen, hypotheses);
  PACKED_TRY(census, censusOf(seen));
  const uint64_t compared = census.right + census.moved + census.nowhere;
  const std::string counts =
      joined(counted(census.right, "block"), " right, ", census.moved,
             " of the reference in the wrong place, ", census.nowhere, " nowhere in the reference");
  if (census.nowhere == 0 || (census.moved > 0 && census.nowhere * 2 < compared)) {
    // Of others a part may have been quantized in another way.
    if (census.nowhere > 0) {
      if (auto near = namedByValues(seen, hypotheses, counts)) return std::move(*near);
    }
    const PartsRemark shards = census.nowhere == 0 ? shardsRemark(seen) : PartsRemark{};
    Diagnosis result = undetermined(
        seen, joined(counts, shards.text.empty() ? ", and no known mistake arranges them so"
                                                 : shards.text));
    result.fix = shards.fix;
    return result;
  }
  const PartsRemark parts = partsRemark(seen);
  if (!parts.fix.empty()) {
    Diagnosis result = foreign(seen, census.nowhere, counts + parts.text);
    result.fix = parts.fix;
    return result;
  }
  const Reading reading = readingOf(seen);
  if (reading.inPlace) return undetermined(seen, counts + reading.text);
  if (auto near = namedByValues(seen, hypotheses, counts)) return std::move(*near);
  if (!reading.text.empty()) return readOtherwise(seen, census.nowhere, counts, reading);
  // Nor is it all foreign where a part of every block is the reference's, with no word for the
  // rest.
  if (!parts.text.empty() || partsAreTheReference(seen)) {
    return undetermined(seen,
                        joined(counts,
                               parts.text.empty() ? "; parts of those stand in it in some other "
                                                    "arrangement: two mistakes may have met"
                                                  : parts.text,
                               sizeRemark(seen)));
  }
  return nobodys(seen, census.nowhere, counts + sizeRemark(seen));
}

}  // namespace packed
