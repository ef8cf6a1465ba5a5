#include "weights/diagnosis.h"

#include <algorithm>
#include <memory>
#include <new>

#include "layout/permutation.h"
#include "weights/block_match.h"
#include "weights/block_picture.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"

namespace packed {
namespace {

constexpr uint64_t kProbes = 64;

struct Verdict {
  const Hypothesis* hypothesis;
  Evidence evidence;
};

void count(Evidence& evidence, Fit fit) {
  (fit == Fit::FITS     ? evidence.fits
   : fit == Fit::MISFIT ? evidence.misfits
                        : evidence.unknowable) += 1;
}

bool contains(const std::vector<DiagnosisKind>& kinds, DiagnosisKind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// How many observed blocks are where they belong, how many are elsewhere in the reference, how many
// nowhere.
struct Census {
  uint64_t right = 0;
  uint64_t moved = 0;
  uint64_t nowhere = 0;
};

Result<Census> censusOf(const Observation& seen) {
  const uint64_t present = std::min<uint64_t>(seen.observed.size() / seen.blockBytes, seen.blocks);
  uint64_t capacity = 16;
  while (capacity < 2 * seen.blocks) capacity *= 2;
  std::unique_ptr<uint32_t[]> slots(new (std::nothrow) uint32_t[capacity]());
  if (!slots) {
    return refuse(ErrorCode::OUT_OF_MEMORY, "no memory for ", capacity * 4,
                  " bytes that looking up ", seen.blocks, " blocks takes");
  }
  // The upper half of the hash of every reference block, never 0, which marks a free slot.
  const auto slotFor = [&](uint64_t hash) -> uint32_t& {
    const auto kept = static_cast<uint32_t>(hash >> 32) | 1u;
    uint64_t i = hash & (capacity - 1);
    while (slots[i] != 0 && slots[i] != kept) i = (i + 1) & (capacity - 1);
    return slots[i];
  };
  for (uint64_t f = 0; f < seen.blocks; ++f) {
    const uint64_t hash = hashOf(seen.rightAt(f), seen.blockBytes);
    slotFor(hash) = static_cast<uint32_t>(hash >> 32) | 1u;
  }
  Census census;
  for (uint64_t f = 0; f < present; ++f) {
    if (sameBytes(seen.seenAt(f), seen.rightAt(f), seen.blockBytes)) {
      ++census.right;
    } else if (slotFor(hashOf(seen.seenAt(f), seen.blockBytes)) != 0) {
      ++census.moved;
    } else {
      ++census.nowhere;
    }
  }
  return census;
}

bool allBlocksEqual(const Observation& seen) {
  for (uint64_t f = 1; f < seen.blocks; ++f) {
    if (!sameBytes(seen.rightAt(0), seen.rightAt(f), seen.blockBytes)) return false;
  }
  return true;
}

// Why several mistakes leave the same bytes here.
std::string doubt(const Observation& seen) {
  if (seen.grid.out == 1) return "one row only: both orders are the same bytes";
  if (seen.grid.blocksPerRow == 1) return "one block per row: both orders are the same bytes";
  if (seen.blocks > 1 && allBlocksEqual(seen)) return "constant content: every block is the same";
  if (seen.grid.out == seen.grid.blocksPerRow) {
    return joined("a square grid of ", seen.grid.out, " x ", seen.grid.out,
                  " blocks: turned by a wrong label it has the same shape");
  }
  return "on this grid they leave the same bytes";
}

std::string where(const Observation& seen) {
  return joined(nameOf(seen.expected.encoding), ", ", seen.grid.out, " x ", seen.grid.blocksPerRow,
                " blocks, ", nameOf(seen.expected.order), " expected: ");
}

Diagnosis named(const Observation& seen, const Verdict& verdict, uint64_t ofBlocks) {
  const Hypothesis& mistake = *verdict.hypothesis;
  Diagnosis result;
  result.kind = mistake.kind;
  result.variant = mistake.variant;
  result.explained = verdict.evidence.fits;
  result.total = ofBlocks;
  result.fix = mistake.fix;
  result.message = joined(where(seen), meaningOf(mistake.kind), mistake.variant.empty() ? "" : " (",
                          mistake.variant, mistake.variant.empty() ? "" : ")", ". Explains ",
                          verdict.evidence.fits, " of ", ofBlocks, " blocks");
  if (verdict.evidence.unknowable > 0) {
    result.message +=
        joined("; of the other ", verdict.evidence.unknowable, " it foretells nothing");
  }
  if (verdict.evidence.misfits > 0) {
    result.message += joined("; ", verdict.evidence.misfits, " hold something else besides");
  }
  return result;
}

Diagnosis undetermined(const Observation& seen, std::string reason) {
  Diagnosis result;
  result.total = seen.windows();
  result.message = joined(where(seen), "undetermined. ", reason);
  return result;
}

Diagnosis torn(const Observation& seen, const std::vector<Verdict>& verdicts,
               const std::vector<DiagnosisKind>& kinds) {
  std::string list;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    list += joined(i == 0 ? "" : i + 1 == kinds.size() ? " and " : ", ", nameOf(kinds[i]));
  }
  Diagnosis result =
      undetermined(seen, joined(list, " explain these bytes equally well (", doubt(seen), ")"));
  result.candidates = kinds;
  result.explained = verdicts[0].evidence.fits;
  result.fix =
      "compare with the 4 x 3 or 5 x 3 fixture, on which these mistakes look different, or look at "
      "how the bytes were made";
  for (const Verdict& verdict : verdicts) {
    if (verdict.hypothesis->kind != DiagnosisKind::OTHER_ORDER) continue;
    result.fix = joined("whichever it was, ", verdict.hypothesis->variant,
                        " now: ", verdict.hypothesis->fix);
  }
  return result;
}

// The verdict of those that explain everything: one kind, several, or none.
std::optional<Diagnosis> settled(const Observation& seen, std::vector<Verdict> verdicts,
                                 uint64_t alreadyRight) {
  // A shift leaves blocks open. Where more blocks are right than it explains it is no explanation,
  // and where as many are, the rest may as well be damage.
  std::vector<DiagnosisKind> kinds;
  const auto open = [](const Verdict& verdict) { return verdict.evidence.unknowable > 0; };
  if (seen.observed.size() <= seen.right.size()) {
    std::erase_if(verdicts, [&](const Verdict& verdict) {
      return open(verdict) && verdict.evidence.fits < alreadyRight;
    });
  }
  const bool damage =
      seen.sameSize() && std::any_of(verdicts.begin(), verdicts.end(), [&](const Verdict& v) {
        return open(v) && v.evidence.fits == alreadyRight;
      });
  if (damage) kinds.push_back(DiagnosisKind::FOREIGN);
  for (const Verdict& verdict : verdicts) {
    if (!contains(kinds, verdict.hypothesis->kind)) kinds.push_back(verdict.hypothesis->kind);
  }
  if (kinds.empty()) return std::nullopt;
  if (kinds.size() > 1) return torn(seen, verdicts, kinds);
  // Forms of one kind: the one that explains most blocks, then the one that was listed first.
  const auto best = std::max_element(
      verdicts.begin(), verdicts.end(),
      [](const auto& a, const auto& b) { return a.evidence.fits < b.evidence.fits; });
  return named(seen, *best, seen.windows());
}

// A mistake and some damage: one kind explains nearly everything and no other comes near.
std::optional<Diagnosis> nearly(const Observation& seen, const std::vector<Verdict>& verdicts,
                                uint64_t alreadyRight) {
  const Verdict* best = nullptr;
  for (const Verdict& verdict : verdicts) {
    if (!best || verdict.evidence.fits > best->evidence.fits) best = &verdict;
  }
  if (!best || best->evidence.knowable() < 20) return std::nullopt;
  if (best->evidence.fits * 10 < best->evidence.knowable() * 9) return std::nullopt;
  const uint64_t limit = best->evidence.fits / 2;
  if (alreadyRight > limit || best->evidence.unknowable > limit) return std::nullopt;
  for (const Verdict& verdict : verdicts) {
    if (verdict.hypothesis->kind != best->hypothesis->kind && verdict.evidence.fits > limit) {
      return std::nullopt;
    }
  }
  return named(seen, *best, seen.windows());
}

Result<Diagnosis> unexplained(const Observation& seen) {
  PACKED_TRY(census, censusOf(seen));
  const uint64_t compared = census.right + census.moved + census.nowhere;
  const std::string counts = joined(census.right, " blocks are right, ", census.moved,
                                    " are blocks of the reference in the wrong place, ",
                                    census.nowhere, " are nowhere in the reference");
  if (census.nowhere > 0 && (census.moved == 0 || census.nowhere * 2 >= compared)) {
    Diagnosis result = undetermined(seen, "");
    result.kind = DiagnosisKind::FOREIGN;
    result.explained = census.nowhere;
    result.message = joined(where(seen), meaningOf(DiagnosisKind::FOREIGN), ": ", counts,
                            ". No known mistake explains them");
    result.fix =
        "check that both sides mean the same tensor, the same encoding and the same source values";
    return result;
  }
  return undetermined(seen, joined(counts, ", and no known mistake arranges them so"));
}

Diagnosis agreement(const Observation& seen) {
  Diagnosis result;
  result.kind = DiagnosisKind::AGREES;
  result.explained = result.total = seen.blocks;
  result.message = joined(where(seen), "agrees, all ", seen.blocks, " blocks");
  if (ordersCoincide(seen.grid) || allBlocksEqual(seen)) {
    result.message += joined(". This proves nothing about the order (", doubt(seen), ")");
  }
  return result;
}

std::vector<Verdict> judged(const Observation& seen, const Hypotheses& hypotheses) {
  std::vector<Verdict> verdicts;
  for (const Hypothesis& hypothesis : hypotheses) {
    verdicts.push_back({&hypothesis, evidenceFor(seen, hypothesis)});
  }
  return verdicts;
}

Result<Diagnosis> examine(const Observation& seen) {
  if (seen.observed.empty()) {
    Diagnosis result = undetermined(seen, "");
    result.kind = DiagnosisKind::TRUNCATED;
    result.message =
        joined(where(seen), "there are no bytes at all; ", seen.right.size(), " are needed");
    result.fix = "write or download them";
    return result;
  }
  Hypotheses hypotheses;
#define X(family, what) family(seen, hypotheses);
#include "weights/hypotheses.inc"
#undef X
  const std::vector<Verdict> all = judged(seen, hypotheses);
  // A mistake that keeps the size cannot be the only one where the size is wrong.
  const auto keepsSize = [&](const Verdict& verdict) {
    const DiagnosisKind kind = verdict.hypothesis->kind;
    return kind == DiagnosisKind::OTHER_ORDER || kind == DiagnosisKind::PREPACKED_TWICE ||
           kind == DiagnosisKind::SWAPPED_LABEL;
  };
  std::vector<Verdict> single;
  std::vector<Verdict> withMissing;
  for (const Verdict& verdict : all) {
    if (!verdict.evidence.whole()) continue;
    (keepsSize(verdict) && !seen.sameSize() ? withMissing : single).push_back(verdict);
  }
  const uint64_t present = std::min<uint64_t>(seen.observed.size() / seen.blockBytes, seen.blocks);
  uint64_t right = 0;
  for (uint64_t f = 0; f < present; ++f) {
    right += sameBytes(seen.seenAt(f), seen.rightAt(f), seen.blockBytes);
  }
  if (auto result = settled(seen, single, right)) return std::move(*result);
  if (auto result = settled(seen, withMissing, right)) {
    result->message +=
        joined("; besides, the bytes end ", seen.right.size() - seen.observed.size(), " early");
    return std::move(*result);
  }
  if (auto result = nearly(seen, all, right)) return std::move(*result);
  return unexplained(seen);
}

}  // namespace

std::string_view nameOf(DiagnosisKind kind) {
  switch (kind) {
#define X(KIND, name, meaning) \
  case DiagnosisKind::KIND:    \
    return name;
#include "weights/diagnosis_kinds.inc"
#undef X
  }
  return "undetermined";
}

std::string_view meaningOf(DiagnosisKind kind) {
  switch (kind) {
#define X(KIND, name, meaning) \
  case DiagnosisKind::KIND:    \
    return meaning;
#include "weights/diagnosis_kinds.inc"
#undef X
  }
  return "";
}

Evidence evidenceFor(const Observation& seen, const Hypothesis& hypothesis) {
  const uint64_t windows = seen.windows();
  Evidence evidence;
  if (windows > 4 * kProbes) {
    // Odd steps of the golden ratio: no probe falls into the rhythm of a grid.
    const auto step = static_cast<uint64_t>(static_cast<double>(windows) * 0.6180339887) | 1u;
    for (uint64_t i = 0; i < kProbes; ++i) count(evidence, hypothesis.at(i * step % windows));
    if (evidence.misfits * 2 > evidence.knowable()) return evidence;
    evidence = {};
  }
  for (uint64_t window = 0; window < windows; ++window) count(evidence, hypothesis.at(window));
  return evidence;
}

Result<Diagnosis> diagnose(Bytes observed, Encoding encoding, const Expectation& expectation) {
  PACKED_TRY(expected, resolve(encoding, expectation));
  std::unique_ptr<uint8_t[]> relaid;
  Bytes right = expected.reference;
  if (expected.order != expected.referenceOrder && expected.size > 0) {
    relaid.reset(new (std::nothrow) uint8_t[expected.size]);
    if (!relaid) {
      return refuse(ErrorCode::OUT_OF_MEMORY, "no memory for the ", expected.size,
                    " bytes of the reference in ", nameOf(expected.order));
    }
    permuteBlocks(expected.grid, expected.blockBytes, expected.reference.data(),
                  stridesOf(expected.referenceOrder, expected.grid), relaid.get(),
                  stridesOf(expected.order, expected.grid));
    right = {relaid.get(), static_cast<std::size_t>(expected.size)};
  }
  const Observation seen{expected,       observed, right, expected.grid, expected.blockBytes,
                         expected.blocks};
  if (seen.sameSize() && sameBytes(observed.data(), right.data(), right.size()))
    return agreement(seen);
  if (seen.blocks == 0) {
    return undetermined(seen,
                        joined("the grid is empty, yet ", observed.size(), " bytes were given"));
  }
  PACKED_TRY(result, examine(seen));
  result.picture = pictureOf(seen);
  return result;
}

}  // namespace packed
