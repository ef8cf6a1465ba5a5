#include "weights/diagnosis.h"

#include <algorithm>
#include <memory>
#include <new>

#include "layout/permutation.h"
#include "weights/block_match.h"
#include "weights/block_picture.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"
#include "weights/unexplained.h"

namespace packed {
namespace {

constexpr uint64_t kProbes = 64;

struct Verdict {
  const Hypothesis* hypothesis;
  Evidence evidence;
};

bool contains(const std::vector<DiagnosisKind>& kinds, DiagnosisKind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool allBlocksEqual(const Observation& seen) {
  for (uint64_t f = 1; f < seen.blocks; ++f) {
    if (!sameBytes(seen.rightAt(0), seen.rightAt(f), seen.blockBytes)) return false;
  }
  return true;
}

// Why several mistakes leave the same bytes here.
std::string doubt(const Observation& seen) {
  const std::string_view few = monotonyOf(seen);
  if (!few.empty()) return std::string(few);
  if (seen.plain()) return "with these values they leave the same bytes";
  if (seen.grid.out == 1) return "one row only: both orders are the same bytes";
  if (seen.grid.blocksPerRow == 1) return "one block per row: both orders are the same bytes";
  if (seen.grid.out == seen.grid.blocksPerRow) {
    return joined("a square grid of ", seen.grid.out, " x ", seen.grid.out,
                  " blocks: turned by a wrong label it has the same shape");
  }
  return "on this grid they leave the same bytes";
}

Diagnosis named(const Observation& seen, const Verdict& verdict) {
  const Hypothesis& mistake = *verdict.hypothesis;
  Diagnosis result;
  result.kind = mistake.kind;
  result.variant = mistake.variant;
  result.explained = seen.countIn(verdict.evidence.fits);
  result.total = seen.countIn(seen.windows());
  result.fix = mistake.fix;
  result.message =
      joined(introduction(seen), meaningOf(mistake.kind), mistake.variant.empty() ? "" : " (",
             mistake.variant, mistake.variant.empty() ? "" : ")", ". Explains ", result.explained,
             " of ", result.total, " ", seen.noun(), "s");
  if (verdict.evidence.unknowable > 0) {
    result.message += joined("; of the other ", seen.countIn(verdict.evidence.unknowable),
                             " it foretells nothing");
  }
  if (verdict.evidence.misfits > 0) {
    result.message +=
        joined("; ", seen.countIn(verdict.evidence.misfits), " hold something else besides");
  }
  return result;
}

Diagnosis torn(const Observation& seen, const std::vector<Verdict>& verdicts,
               const std::vector<DiagnosisKind>& kinds) {
  std::string list;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    list += joined(i == 0 ? "" : i + 1 == kinds.size() ? " and " : ", ", nameOf(kinds[i]));
  }
  Diagnosis result = undetermined(
      seen, kinds.size() == 1
                ? joined(list, " explains these bytes, and so may others (", doubt(seen), ")")
                : joined(list, " explain these bytes equally well (", doubt(seen), ")"));
  result.candidates = kinds;
  result.explained = seen.countIn(verdicts[0].evidence.fits);
  result.fix =
      seen.plain()
          ? "compare a weight with more different values, or look at how the bytes were made"
          : "compare with the 4 x 3 or 5 x 3 fixture, on which these mistakes look "
            "different, or look at how the bytes were made";
  for (const Verdict& verdict : verdicts) {
    if (verdict.hypothesis->kind != DiagnosisKind::OTHER_ORDER) continue;
    result.fix = joined("whichever it was, ", verdict.hypothesis->variant,
                        " now: ", verdict.hypothesis->fix);
  }
  return result;
}

// Whether blocks of the reference stand, out of place, where a mistake foretells nothing: padding,
// a header or what was cut off would be something else. The first few gaps are looked at.
bool gapsHoldBlocks(const Observation& seen, const Hypothesis& hypothesis) {
  if (seen.plain() && seen.run == 1) return false;  // a value stands somewhere in most references
  int left = 4;
  const uint64_t end = std::min<uint64_t>(seen.observed.size() / seen.blockBytes, seen.windows());
  for (uint64_t window = 0; window < end && left > 0; ++window) {
    if (hypothesis.at(window) != Fit::UNKNOWABLE) continue;
    const uint8_t* found = seen.seenAt(window);
    if (sameBytes(found, found + 1, seen.blockBytes - 1)) continue;
    if (window < seen.blocks && sameBytes(found, seen.rightAt(window), seen.blockBytes)) continue;
    --left;
    const BlockPlaces places =
        placesOf(found, seen.grid, seen.expected.order, seen.right.data(), seen.blockBytes);
    if (places.count > 0) return true;
  }
  return false;
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
  // What explains every block leaves no room for padding that would be blocks of the reference.
  const bool closed = std::any_of(verdicts.begin(), verdicts.end(),
                                  [&](const Verdict& verdict) { return !open(verdict); });
  if (closed) {
    std::erase_if(verdicts, [&](const Verdict& verdict) {
      return open(verdict) && gapsHoldBlocks(seen, *verdict.hypothesis);
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
  if (kinds.size() > 1 || !monotonyOf(seen).empty()) return torn(seen, verdicts, kinds);
  // Forms of one kind: the one that explains most blocks, then the one that was listed first.
  const auto best = std::max_element(
      verdicts.begin(), verdicts.end(),
      [](const auto& a, const auto& b) { return a.evidence.fits < b.evidence.fits; });
  if (open(*best) && gapsHoldBlocks(seen, *best->hypothesis)) {
    return undetermined(seen, joined(nameOf(kinds[0]), " explains ",
                                     counted(seen.countIn(best->evidence.fits), seen.noun()),
                                     ", but where it foretells nothing stand others of the "
                                     "reference"));
  }
  return named(seen, *best);
}

// A mistake and some damage: one kind explains nearly everything and no other comes near.
std::optional<Diagnosis> nearly(const Observation& seen, const std::vector<Verdict>& verdicts,
                                uint64_t alreadyRight) {
  const Verdict* best = nullptr;
  for (const Verdict& verdict : verdicts) {
    if (!best || verdict.evidence.fits > best->evidence.fits) best = &verdict;
  }
  if (!best || best->evidence.knowable() < 20 || !monotonyOf(seen).empty()) return std::nullopt;
  if (best->evidence.fits * 10 < best->evidence.knowable() * 9) return std::nullopt;
  const uint64_t limit = best->evidence.fits / 2;
  if (alreadyRight > limit || best->evidence.unknowable > limit) return std::nullopt;
  for (const Verdict& verdict : verdicts) {
    if (verdict.hypothesis->kind != best->hypothesis->kind && verdict.evidence.fits > limit) {
      return std::nullopt;
    }
  }
  return named(seen, *best);
}

Diagnosis agreement(const Observation& seen) {
  Diagnosis result;
  result.kind = DiagnosisKind::AGREES;
  result.explained = result.total = seen.expected.blocks;
  result.message = joined(introduction(seen), "agrees, all ", result.total, " ", seen.noun(), "s");
  if (!seen.plain() && (ordersCoincide(seen.grid) || allBlocksEqual(seen))) {
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
        joined(introduction(seen), "there are no bytes at all; ", seen.right.size(), " are needed");
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
    for (uint64_t i = 0; i < kProbes; ++i) evidence.count(hypothesis.at(i * step % windows));
    if (evidence.misfits * 2 > evidence.knowable()) return evidence;
    evidence = {};
  }
  for (uint64_t first = 0; first < hypothesis.stride; ++first) {
    for (uint64_t window = first; window < windows; window += hypothesis.stride) {
      evidence.count(hypothesis.at(window));
    }
  }
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
  const bool blocked = specOf(encoding).blocked();
  const uint32_t run = blocked ? 1 : runOf(expected.grid);
  const BlockGrid grid{expected.grid.out, expected.grid.blocksPerRow / run};
  const Observation seen{
      expected, observed, right, grid, expected.blockBytes * run, expected.blocks / run, run};
  if (sameWeights(observed, right)) return agreement(seen);
  if (seen.blocks == 0) {
    return undetermined(seen,
                        joined("the grid is empty, yet ", observed.size(), " bytes were given"));
  }
  PACKED_TRY(result, examine(seen));
  result.picture = pictureOf(seen);
  return result;
}

}  // namespace packed
