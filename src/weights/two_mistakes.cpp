#include "weights/two_mistakes.h"

#include <algorithm>

#include "weights/block_match.h"
#include "weights/mending.h"
#include "weights/unexplained.h"

namespace packed {
namespace {

constexpr uint64_t kLeast = 4;  // blocks: fewer are explained by chance

bool explain(const Observation& seen, const Hypothesis& inside, const Hypothesis& other,
             uint64_t flat) {
  uint8_t block[kMaxBlockBytes], undone[kMaxBlockBytes];
  inside.undo(seen.seenAt(flat), block);
  if (other.undo) other.undo(block, undone);
  return sameBytes(other.undo ? undone : block,
                   other.block ? seen.referenceAt(other.block(flat)) : seen.rightAt(flat),
                   seen.blockBytes);
}

bool explainAll(const Observation& seen, const Hypothesis& inside, const Hypothesis& other) {
  for (const uint64_t flat : seen.telling) {
    if (!explain(seen, inside, other, flat)) return false;
  }
  for (uint64_t flat = 0; flat < seen.blocks; ++flat) {
    if (!explain(seen, inside, other, flat)) return false;
  }
  return true;
}

std::string named(const Hypothesis& mistake) {
  return joined(meaningOf(mistake.kind), " (", mistake.variant, ")");
}

}  // namespace

std::optional<Diagnosis> twoMistakes(const Observation& seen, const Hypotheses& hypotheses) {
  if (seen.plain() || !seen.sameSize() || seen.blocks < kLeast || !monotonyOf(seen).empty()) {
    return std::nullopt;
  }
  const Hypothesis* first = nullptr;
  const Hypothesis* second = nullptr;
  for (const Hypothesis& inside : hypotheses) {
    if (!inside.undo) continue;
    for (const Hypothesis& other : hypotheses) {
      if (&other == &inside || !(other.undo || other.block)) continue;
      if (!explainAll(seen, inside, other)) continue;
      if (!first) {
        first = &inside;
        second = &other;
      }
      const auto isOneOf = [&](DiagnosisKind kind) {
        return kind == first->kind || kind == second->kind;
      };
      if (!isOneOf(inside.kind) || !isOneOf(other.kind)) return std::nullopt;
    }
  }
  if (!first) return std::nullopt;
  Diagnosis result;
  result.kind = second->kind;
  result.variant = second->variant;
  result.explained = result.total = seen.blocks;
  result.message = joined(introduction(seen), named(*second), ", and besides ", named(*first),
                          ". Together they explain ", seen.blocks, " of ", seen.blocks, " blocks");
  result.fix = joined("first inside of each block: ", first->fix, "; then ", second->fix);
  return result;
}

}  // namespace packed
