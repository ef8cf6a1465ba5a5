// The fields of blocks written apart from each other: all scales first and then all codes, as many
// GPU formats hold them, or those of each block in another sequence.
#include <algorithm>
#include <numeric>

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

void propose(const Observation& seen, Hypotheses& to, std::string variant, std::string_view fix,
             Placement placement) {
  to.push_back(
      {DiagnosisKind::SCALES_ONLY, std::move(variant),
       joined(fix, ", then ", packCall(seen, seen.expected.order)),
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

void proposeApart(const Observation& seen, Hypotheses& to) {
  const Sections scales = runsOf(seen.expected.encoding, true);
  const Sections codes = runsOf(seen.expected.encoding, false);
  if (scales.empty() || codes.empty()) return;
  const std::string fix = joined("write what belongs to a block together: a block is ",
                                 seen.blockBytes, " bytes that are never taken apart");
  const uint64_t line =
      seen.expected.order == BlockOrder::ROW_MAJOR ? seen.grid.blocksPerRow : seen.grid.out;
  std::vector<uint64_t> groups;
  if (line > 1 && line < seen.blocks) groups.push_back(line);
  if (seen.blocks > 1) groups.push_back(seen.blocks);
  for (const uint64_t together : groups) {
    const std::string_view where =
        together == seen.blocks ? ", of all blocks" : ", of each line of blocks";
    propose(seen, to, joined("scales, then codes", where), fix,
            {joinedSections(scales, codes), together});
    propose(seen, to, joined("codes, then scales", where), fix,
            {joinedSections(codes, scales), together});
  }
}

std::string namesOf(std::span<const BlockField> fields, const std::vector<std::size_t>& sequence) {
  std::string names;
  for (const std::size_t i : sequence) {
    names += joined(names.empty() ? "" : ", ", fields[i].name);
  }
  return names;
}

bool anyOfZeros(const uint8_t* block, const Sections& sections) {
  return std::any_of(sections.begin(), sections.end(), [&](const Section& section) {
    return std::all_of(block + section.offset, block + section.offset + section.size,
                       [](uint8_t byte) { return byte == 0; });
  });
}

void proposeSequences(const Observation& seen, Hypotheses& to) {
  const std::span<const BlockField> fields = anatomyOf(seen.expected.encoding);
  std::vector<std::size_t> sequence(fields.size());
  std::iota(sequence.begin(), sequence.end(), std::size_t{0});
  const std::string right = namesOf(fields, sequence);
  while (std::next_permutation(sequence.begin(), sequence.end())) {
    Sections sections, moved;
    for (std::size_t place = 0; place < sequence.size(); ++place) {
      const BlockField& field = fields[sequence[place]];
      sections.push_back({field.offset, field.bytes()});
      if (place != sequence[place]) moved.push_back(sections.back());
    }
    propose(seen, to, joined("each block holds ", namesOf(fields, sequence), " instead of ", right),
            joined("write the fields of each block in the sequence ", right),
            {std::move(sections), 1});
    // Where a field holds nothing but zeros, it may as well be missing there, and what stands behind
    // it too early.
    auto fit = std::move(to.back().at);
    to.back().at = [&seen, fit = std::move(fit), moved = std::move(moved)](uint64_t window) {
      const Fit found = fit(window);
      return found == Fit::FITS && anyOfZeros(seen.rightAt(window), moved) ? Fit::UNKNOWABLE
                                                                           : found;
    };
  }
}

}  // namespace

void proposeFieldPlacements(const Observation& seen, Hypotheses& to) {
  if (seen.plain() || !seen.sameSize() || seen.blocks == 0) return;
  proposeApart(seen, to);
  proposeSequences(seen, to);
}

}  // namespace packed
