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
#include "weights/verdict.h"

namespace packed {
namespace {

constexpr uint64_t kProbes = 64;

// Of each line hashes are kept, maps of them and sorted pairs, in vectors, which cannot say that
// there is no memory for them.
Status requireRoomForLines(const Observation& seen) {
  constexpr uint64_t kBytes = 128;
  const uint64_t lines = seen.grid.out + seen.grid.blocksPerRow;
  if (lines < 1 << 16) return Done{};
  if (lines <= SIZE_MAX / kBytes) {
    const std::unique_ptr<uint8_t[]> room(new (std::nothrow)
                                              uint8_t[static_cast<std::size_t>(lines * kBytes)]);
    // Or clang would leave out what nobody uses.
    asm volatile("" ::"r"(room.get()) : "memory");
    if (room) return Done{};
  }
  return refuse(ErrorCode::OUT_OF_MEMORY, "no memory for comparing the ", lines,
                " rows and columns of a grid of ", seen.grid.out, " x ", seen.grid.blocksPerRow,
                ": diagnose a part of it");
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
  // A few bytes stand somewhere in any that are many.
  const uint64_t reference = seen.right.size() < 16 ? UINT64_MAX : seen.blocks;
  std::vector<Verdict> single;
  std::vector<Verdict> withMissing;
  for (const Verdict& verdict : all) {
    if (!verdict.evidence.whole(reference)) continue;
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
  return unexplained(seen, hypotheses);
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
  PACKED_CHECK(requireRoomForLines(seen));
  PACKED_TRY(result, examine(seen));
  result.picture = pictureOf(seen);
  return result;
}

}  // namespace packed
