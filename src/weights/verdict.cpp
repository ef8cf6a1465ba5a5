#include "weights/verdict.h"

#include <algorithm>

#include "weights/gaps.h"
#include "weights/mending.h"
#include "weights/unexplained.h"

namespace packed {
namespace {

bool contains(const std::vector<DiagnosisKind>& kinds, DiagnosisKind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

Diagnosis named(const Observation& seen, const Verdict& verdict) {
  const Hypothesis& mistake = *verdict.hypothesis;
  Diagnosis result;
  result.kind = mistake.kind;
  result.variant = mistake.variant;
  // A window that is known in part counts, and there may be more of them than blocks.
  result.explained = verdict.evidence.unknowable > 0 ? std::min(verdict.evidence.fits, seen.blocks)
                                                     : verdict.evidence.fits;
  result.total = seen.count();
  result.fix = mistake.fix;
  result.message =
      joined(introduction(seen), meaningOf(mistake.kind), mistake.variant.empty() ? "" : " (",
             mistake.variant, mistake.variant.empty() ? "" : ")", ". Explains ", result.explained,
             " of ", result.total, " ", seen.noun(), "s");
  const uint64_t others = verdict.evidence.misfits;
  if (const uint64_t open = result.total - result.explained - others) {
    result.message += joined("; of the other ", open, " it foretells nothing");
  }
  if (others > 0) {
    result.message +=
        joined("; ", others, others == 1 ? " holds" : " hold", " something else besides");
  }
  return result;
}

Diagnosis torn(const Observation& seen, const std::vector<Verdict>& verdicts,
               const std::vector<DiagnosisKind>& kinds) {
  std::string list;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    list += joined(i == 0 ? "" : i + 1 == kinds.size() ? " and " : ", ", nameOf(kinds[i]));
  }
  const std::string why = seen.blocks < 3 && !seen.plain() && monotonyOf(seen).empty()
                              ? joined(counted(seen.blocks, seen.noun()), " only")
                              : doubt(seen);
  Diagnosis result = undetermined(
      seen, kinds.size() == 1 ? joined(list, " explains these bytes, and so may others (", why, ")")
                              : joined(list, " explain these bytes equally well (", why, ")"));
  result.candidates = kinds;
  result.explained = verdicts[0].evidence.fits;
  result.fix =
      seen.plain()
          ? "compare a weight with more different values, or look at how the bytes were made"
          : "compare with the 4 x 3 or 5 x 3 fixture, on which these mistakes look "
            "different, or look at how the bytes were made";
  for (const Verdict& verdict : verdicts) {
    const Hypothesis& mistake = *verdict.hypothesis;
    if (mistake.kind == DiagnosisKind::OTHER_ORDER) {
      result.fix = joined("whichever it was, ", mistake.variant, " now: ", mistake.fix);
    } else if (mistake.kind == DiagnosisKind::FOREIGN && verdict.evidence.fits >= seen.blocks) {
      // The whole weight is there, and something behind it.
      result.fix = joined("whichever it was: ", mistake.fix);
    }
  }
  return result;
}

// Too few blocks or values to say what the others are.
bool isFew(const Observation& seen, uint64_t fits) {
  return fits < seen.blocks && (fits < 4 || fits * seen.blockBytes < 16);
}

// Whether parts of the reference stand where nothing of it should. Before a whole weight they may.
bool contradictedByGaps(const Observation& seen, const Verdict& verdict) {
  const bool wholeBehind =
      verdict.hypothesis->kind == DiagnosisKind::SHIFTED && verdict.evidence.fits >= seen.blocks;
  return verdict.evidence.unknowable > 0 && !wholeBehind &&
         gapsHoldBlocks(seen, *verdict.hypothesis);
}

}  // namespace

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

std::optional<Diagnosis> settled(const Observation& seen, std::vector<Verdict> verdicts,
                                 const std::vector<Verdict>& all) {
  // A shift leaves blocks open. Where more blocks are right than it explains it is no explanation,
  // and where as many are, the rest may as well be damage, unless something explains that too.
  std::vector<DiagnosisKind> kinds;
  const auto open = [](const Verdict& verdict) { return verdict.evidence.unknowable > 0; };
  if (seen.observed.size() <= seen.right.size()) {
    std::erase_if(verdicts, [&](const Verdict& verdict) {
      return open(verdict) && verdict.evidence.fits < seen.alreadyRight;
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
      !closed && std::any_of(verdicts.begin(), verdicts.end(), [&](const Verdict& v) {
        return open(v) && v.evidence.fits == seen.alreadyRight &&
               !gapsHoldBlocks(seen, *v.hypothesis);
      });
  // Bytes that have all moved leave most blocks right only where the content comes round again, and
  // there damage of the others explains as much.
  const bool mostlyRight = seen.sameSize() && seen.alreadyRight * 10 >= seen.blocks * 9;
  const bool comesRound =
      mostlyRight && std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) {
        return v.hypothesis->kind == DiagnosisKind::SHIFTED ||
               v.hypothesis->kind == DiagnosisKind::PADDED_STRIDE;
      });
  if (damage || comesRound) kinds.push_back(DiagnosisKind::FOREIGN);
  for (const Verdict& verdict : verdicts) {
    if (!contains(kinds, verdict.hypothesis->kind)) kinds.push_back(verdict.hypothesis->kind);
  }
  if (kinds.empty()) return std::nullopt;
  if (kinds.size() > 1 || !monotonyOf(seen).empty()) return torn(seen, verdicts, kinds);
  // Forms of one kind: the one that explains most blocks, then the one that was listed first.
  const auto best = std::max_element(
      verdicts.begin(), verdicts.end(),
      [](const auto& a, const auto& b) { return a.evidence.fits < b.evidence.fits; });
  if (open(*best) && isFew(seen, best->evidence.fits)) {
    Diagnosis result = undetermined(
        seen, joined(nameOf(kinds[0]), " explains ", counted(best->evidence.fits, seen.noun()),
                     " only and leaves the rest open: so few do not say what it is"));
    result.candidates = kinds;
    result.fix = best->hypothesis->fix;
    return result;
  }
  if (contradictedByGaps(seen, *best)) {
    if (auto result = nearly(seen, all)) return result;
    Diagnosis result = undetermined(
        seen, joined(nameOf(kinds[0]), " explains ", counted(best->evidence.fits, seen.noun()),
                     ", but where it foretells nothing stand others of the reference"));
    // What follows a whole weight can be cut off, whatever it is.
    if (kinds[0] == DiagnosisKind::FOREIGN) result.fix = best->hypothesis->fix;
    return result;
  }
  return named(seen, *best);
}

std::optional<Diagnosis> nearly(const Observation& seen, const std::vector<Verdict>& verdicts) {
  const auto fewer = [](const Verdict& a, const Verdict& b) {
    return a.evidence.fits < b.evidence.fits;
  };
  const auto convincing = [&](const Evidence& found, uint64_t percent) {
    return found.knowable() >= 20 && found.fits * 100 >= found.knowable() * percent &&
           seen.alreadyRight <= found.fits / 2 && found.unknowable <= found.fits / 2;
  };
  const auto first = std::max_element(verdicts.begin(), verdicts.end(), fewer);
  // Shares of many windows are estimates.
  if (first == verdicts.end() || !convincing(first->evidence, 80) || !monotonyOf(seen).empty() ||
      first->hypothesis->ofOnePlace) {
    return std::nullopt;
  }
  std::vector<Verdict> forms;
  for (const Verdict& verdict : verdicts) {
    const bool competes = verdict.evidence.fits > first->evidence.fits / 2;
    if (!competes) continue;
    if (verdict.hypothesis->kind != first->hypothesis->kind) return std::nullopt;
    if (convincing(verdict.evidence, 80) && !verdict.hypothesis->ofOnePlace)
      forms.push_back(verdict);
  }
  for (Verdict& form : forms) form.evidence = wholeEvidence(seen, *form.hypothesis);
  const auto best = std::max_element(forms.begin(), forms.end(), fewer);
  if (!convincing(best->evidence, 90) || contradictedByGaps(seen, *best)) return std::nullopt;
  return named(seen, *best);
}

}  // namespace packed
