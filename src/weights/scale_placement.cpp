// Scales and codes that do not belong together: one of the two stands where it should, the other
// does not.
#include <algorithm>
#include <numeric>

#include "encoding/block_anatomy.h"
#include "weights/block_match.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"

namespace packed {
namespace {

struct Part {
  uint32_t offset = 0;
  uint32_t size = 0;
};
using Parts = std::vector<Part>;

// The parts of a block that are scales (or, inverted, everything else).
Parts partsOf(Encoding encoding, bool integersToo, bool scales) {
  Parts parts;
  for (const BlockField& field : anatomyOf(encoding)) {
    const bool integers = field.name.substr(0, 6) == "scales";
    const bool scale = isFloat(field.type) || (integersToo && integers);
    if (scale == scales) parts.push_back({field.offset, field.bytes()});
  }
  return parts;
}

bool sameParts(const Parts& parts, const uint8_t* a, const uint8_t* b) {
  return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
    return sameBytes(a + part.offset, b + part.offset, part.size);
  });
}

// The same for any sequence of the blocks.
uint64_t sumOfHashes(const Observation& seen, const Parts& parts, const uint8_t* bytes) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < seen.blocks; ++i, bytes += seen.blockBytes) {
    uint64_t hash = 0;
    for (const Part& part : parts) hash = hash * 31 + hashOf(bytes + part.offset, part.size);
    sum += hash;
  }
  return sum;
}

bool allEqual(const Observation& seen, const Parts& parts) {
  for (uint64_t i = 1; i < seen.blocks; ++i) {
    if (!sameParts(parts, seen.rightAt(0), seen.rightAt(i))) return false;
  }
  return true;
}

std::string arrangementOf(const Observation& seen, const Parts& moved) {
  const BlockOrder other = otherOrder(seen.expected.order);
  for (uint64_t f = 0; f < seen.blocks; ++f) {
    const BlockAt at = blockAt(other, seen.grid, f);
    if (!sameParts(moved, seen.seenAt(f), seen.referenceAt(at))) return "in some other arrangement";
  }
  return joined("in ", nameOf(other));
}

void proposeMoved(const Observation& seen, Hypotheses& to, Parts fixed, Parts moved,
                  std::string_view fixedName, std::string_view movedName) {
  if (fixed.empty() || moved.empty()) return;
  const Hypothesis probe{DiagnosisKind::SCALES_ONLY, "", "", [&seen, &fixed](uint64_t window) {
                           return sameParts(fixed, seen.seenAt(window), seen.rightAt(window))
                                      ? Fit::FITS
                                      : Fit::MISFIT;
                         }};
  if (evidenceFor(seen, probe).misfits > 0) return;
  if (sumOfHashes(seen, moved, seen.observed.data()) != sumOfHashes(seen, moved, seen.right.data()))
    return;
  const std::string where = arrangementOf(seen, moved);
  to.push_back({DiagnosisKind::SCALES_ONLY,
                joined(fixedName, " in their places, ", movedName, " ", where),
                joined("move scales and codes together: a block is ", seen.blockBytes,
                       " bytes that are never taken apart; pack whole blocks, then ",
                       packCall(seen, seen.expected.order)),
                [&seen, fixed = std::move(fixed)](uint64_t window) {
                  return sameParts(fixed, seen.seenAt(window), seen.rightAt(window)) ? Fit::FITS
                                                                                     : Fit::MISFIT;
                }});
}

}  // namespace

void proposeScalePlacements(const Observation& seen, Hypotheses& to) {
  if (seen.plain() || !seen.sameSize() || seen.blocks < 2) return;
  const Encoding encoding = seen.expected.encoding;
  // The same blocks in another sequence: no scale has left its codes, however many are equal.
  const Parts whole{{0, seen.blockBytes}};
  if (sumOfHashes(seen, whole, seen.observed.data()) == sumOfHashes(seen, whole, seen.right.data()))
    return;
  for (const bool integersToo : {false, true}) {
    const Parts scales = partsOf(encoding, integersToo, true);
    const Parts codes = partsOf(encoding, integersToo, false);
    if (integersToo && scales.size() == partsOf(encoding, false, true).size()) continue;
    // Equal scales stand everywhere: then "codes moved, scales did not" is only "blocks moved".
    if (scales.empty() || allEqual(seen, scales)) continue;
    proposeMoved(seen, to, codes, scales, "codes", "scales");
    proposeMoved(seen, to, scales, codes, "scales", "codes");
  }
}

}  // namespace packed
