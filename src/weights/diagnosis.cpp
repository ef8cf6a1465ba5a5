#include "weights/diagnosis.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>

#include "layout/permutation.h"
#include "weights/block_match.h"
#include "weights/block_picture.h"
#include "weights/byte_search.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"
#include "weights/slips.h"
#include "weights/two_mistakes.h"
#include "weights/unexplained.h"
#include "weights/verdict.h"

namespace packed {
namespace {

constexpr std::size_t kTelling = 32;

// What is where it belongs, and where something is not.
void countRight(Observation& seen) {
  seen.alreadyRight = 0;
  seen.telling.clear();
  const uint64_t common = std::min<uint64_t>(seen.observed.size() / seen.blockBytes, seen.blocks);
  const uint64_t end = common * seen.blockBytes;
  uint64_t wrong = 0;
  for (uint64_t window = 0; window * seen.windowBytes() < end; ++window) {
    const uint64_t length =
        std::min<uint64_t>(seen.windowBytes(), end - window * seen.windowBytes());
    if (sameBytes(seen.seenAt(window), seen.rightAt(window), length)) {
      seen.alreadyRight += length / seen.blockBytes;
    } else if (++wrong <= 2 * kTelling) {
      seen.telling.push_back(window);
    } else {
      seen.telling[kTelling + wrong % kTelling] = window;
    }
  }
}

bool allBlocksEqual(const Observation& seen) {
  for (uint64_t f = 1; f < seen.blocks; ++f) {
    if (!sameBytes(seen.rightAt(0), seen.rightAt(f), seen.blockBytes)) return false;
  }
  return true;
}

Diagnosis agreement(const Observation& seen) {
  Diagnosis result;
  result.kind = DiagnosisKind::AGREES;
  result.explained = result.total = seen.expected.blocks;
  result.message = joined(introduction(seen), "agrees, all ", counted(result.total, seen.noun()));
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

// The mistake that explains the bytes, or nearly; fills in what was asked for that.
std::optional<Diagnosis> explained(const Observation& seen, Hypotheses& hypotheses,
                                   std::vector<Verdict>& all) {
#define X(family, what) family(seen, hypotheses);
#include "weights/hypotheses.inc"
#undef X
  all = judged(seen, hypotheses);
  // A mistake that keeps the size cannot be the only one where the size is wrong.
  const auto keepsSize = [&](const Verdict& verdict) {
    const DiagnosisKind kind = verdict.hypothesis->kind;
    return kind == DiagnosisKind::OTHER_ORDER || kind == DiagnosisKind::PREPACKED_TWICE ||
           kind == DiagnosisKind::SWAPPED_LABEL;
  };
  // Fewer than 16 bytes occur by chance in any long buffer: finding them all proves nothing.
  const uint64_t reference = seen.right.size() < 16 ? UINT64_MAX : seen.blocks;
  std::vector<Verdict> single;
  std::vector<Verdict> withMissing;
  for (const Verdict& verdict : all) {
    if (!verdict.evidence.whole(reference)) continue;
    (keepsSize(verdict) && !seen.sameSize() ? withMissing : single).push_back(verdict);
  }
  if (auto result = settled(seen, single, all)) return result;
  if (auto result = settled(seen, withMissing, all)) {
    const uint64_t missing = seen.right.size() - seen.observed.size();
    result->message += joined("; besides, the bytes end ", missing, " early");
    result->fix = joined("download or write the last ", counted(missing, "byte"), " first, then ",
                         result->fix);
    return result;
  }
  if (auto result = slipped(seen)) return result;
  return nearly(seen, all);
}

// Where bytes are too many and a mistake has been made besides: what explains as many of them as
// belong there, the last or the first. Nothing where that is nothing, or either way something.
std::optional<Diagnosis> withoutTheRest(const Observation& seen) {
  const uint64_t size = seen.right.size();
  if (seen.observed.size() <= size) return std::nullopt;
  const uint64_t more = seen.observed.size() - size;
  std::optional<Diagnosis> result;
  for (const uint64_t front : {more, uint64_t{0}}) {
    Observation part = seen;
    part.observed = seen.observed.subspan(front, size);
    part.sameByteSums = sameByteSums(part.observed, part.right);
    countRight(part);
    Hypotheses hypotheses;
    std::vector<Verdict> all;
    std::optional<Diagnosis> found = explained(part, hypotheses, all);
    if (!found || found->kind == DiagnosisKind::FOREIGN ||
        found->kind == DiagnosisKind::UNDETERMINED) {
      continue;
    }
    if (result) return std::nullopt;
    result = std::move(found);
    result->message += joined("; besides, ", counted(more, "byte"), " too many ",
                              front > 0 ? "in front" : "behind");
    result->fix = joined("take bytes.subarray(", front, ", ", front + size, ") for bytes, then ",
                         result->fix);
  }
  return result;
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
  std::vector<Verdict> all;
  if (auto result = explained(seen, hypotheses, all)) return std::move(*result);
  if (auto result = withoutTheRest(seen)) return std::move(*result);
  if (auto result = twoMistakes(seen, hypotheses)) return std::move(*result);
  Result<Diagnosis> rest = unexplained(seen, hypotheses);
  if (!rest.ok() || rest->kind != DiagnosisKind::FOREIGN) return rest;
  // Padding may be longer than what it pads: then most bytes are nobody's, but not all.
  for (const auto& [hypothesis, evidence] : all) {
    if (evidence.misfits > 0 || evidence.fits < 8 || evidence.fits <= seen.alreadyRight ||
        evidence.alike) {
      continue;
    }
    Diagnosis result = undetermined(
        seen, joined(nameOf(hypothesis->kind), " explains ", counted(evidence.fits, seen.noun()),
                     " and foretells nothing of the others"));
    result.candidates.push_back(hypothesis->kind);
    result.fix = hypothesis->fix;
    return result;
  }
  return rest;
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
  const bool many = !specOf(encoding).blocked() && expected.blocks > 1 << 16;
  Observation seen{expected,        observed,       right, expected.grid, expected.blockBytes,
                   expected.blocks, many ? kRun : 1};
  if (sameWeights(observed, right)) return agreement(seen);
  if (seen.blocks == 0) {
    return undetermined(seen,
                        joined("the grid is empty, yet ", observed.size(), " bytes were given"));
  }
  seen.sameByteSums = seen.sameSize() && sameByteSums(observed, right);
  countRight(seen);
  PACKED_TRY(result, examine(seen));
  result.picture = pictureOf(seen);
  return result;
}

}  // namespace packed
