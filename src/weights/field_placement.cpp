// The fields of blocks written apart from each other: all scales first and then all codes, as many
// GPU formats hold them, or the codes of each block in front of its scale.
#include <algorithm>

#include "encoding/block_anatomy.h"
#include "weights/block_match.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"

namespace packed {
namespace {

// Bytes of a block that stay together, in the sequence in which they are written.
struct Section {
  uint32_t offset = 0;
  uint32_t size = 0;
};
using Sections = std::vector<Section>;

// Runs of neighbouring fields that are (or are not) floats.
Sections runsOf(Encoding encoding, bool floats) {
  Sections runs;
  for (const BlockField& field : anatomyOf(encoding)) {
    if (isFloat(field.type) != floats) continue;
    if (!runs.empty() && runs.back().offset + runs.back().size == field.offset) {
      runs.back().size += field.bytes();
    } else {
      runs.push_back({field.offset, field.bytes()});
    }
  }
  return runs;
}

Sections joinedSections(Sections first, const Sections& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

struct Placement {
  Sections sections;
  uint64_t together = 0;  // blocks whose sections stand together
};

// Byte `at` of such bytes, and how many follow from the same place of the reference.
struct Source {
  uint64_t at = 0;
  uint64_t length = 0;
};

Source sourceOf(const Observation& seen, const Placement& placement, uint64_t at) {
  const uint64_t group = at / (placement.together * seen.blockBytes) * placement.together;
  uint64_t within = at - group * seen.blockBytes;
  const uint64_t blocks = std::min(placement.together, seen.blocks - group);
  for (const Section& section : placement.sections) {
    if (within < blocks * section.size) {
      const uint64_t block = group + within / section.size;
      const uint64_t byte = within % section.size;
      return {block * seen.blockBytes + section.offset + byte, section.size - byte};
    }
    within -= blocks * section.size;
  }
  return {};
}

void propose(const Observation& seen, Hypotheses& to, std::string_view which, Placement placement) {
  const std::string_view where = placement.together == 1             ? " in each block"
                                 : placement.together == seen.blocks ? " of all blocks"
                                                                     : " of each line of blocks";
  to.push_back(
      {DiagnosisKind::SCALES_ONLY, joined(which, where),
       joined("write what belongs to a block together and in its sequence: a block is ",
              seen.blockBytes, " bytes that are never taken apart; then ",
              packCall(seen, seen.expected.order)),
       [&seen, placement = std::move(placement)](uint64_t window) {
         uint64_t at = window * seen.blockBytes;
         const uint64_t end = at + seen.lengthAt(window);
         while (at < end) {
           const Source source = sourceOf(seen, placement, at);
           const uint64_t length = std::min(source.length, end - at);
           if (!sameBytes(seen.observed.data() + at, seen.right.data() + source.at, length))
             return Fit::MISFIT;
           at += length;
         }
         return Fit::FITS;
       }});
}

}  // namespace

void proposeFieldPlacements(const Observation& seen, Hypotheses& to) {
  if (seen.plain() || !seen.sameSize() || seen.blocks == 0) return;
  const Encoding encoding = seen.expected.encoding;
  const Sections scales = runsOf(encoding, true);
  const Sections codes = runsOf(encoding, false);
  if (scales.empty() || codes.empty()) return;
  const bool scalesLead = scales[0].offset == 0 && scales.size() == 1;
  const bool codesLead = codes[0].offset == 0 && codes.size() == 1;
  const uint64_t line =
      seen.expected.order == BlockOrder::ROW_MAJOR ? seen.grid.blocksPerRow : seen.grid.out;
  std::vector<uint64_t> groups{1};
  if (line > 1 && line < seen.blocks) groups.push_back(line);
  if (seen.blocks > 1) groups.push_back(seen.blocks);
  for (const uint64_t together : groups) {
    // One block with its fields in their sequence is a block.
    if (together > 1 || !scalesLead) {
      propose(seen, to, "scales, then codes,", {joinedSections(scales, codes), together});
    }
    if (together > 1 || !codesLead) {
      propose(seen, to, "codes, then scales,", {joinedSections(codes, scales), together});
    }
  }
  // d and the minimum's scale, which are of one kind, taken for each other.
  const auto fields = anatomyOf(encoding);
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
    const BlockField& one = fields[i];
    const BlockField& other = fields[i + 1];
    if (!isFloat(one.type) || other.type != one.type || other.count != one.count) continue;
    Sections exchanged;
    for (const BlockField& field : fields) {
      const BlockField& from = &field == &one ? other : &field == &other ? one : field;
      exchanged.push_back({from.offset, from.bytes()});
    }
    propose(seen, to, joined(one.name, " and ", other.name, " exchanged"), {exchanged, 1});
  }
}

}  // namespace packed
