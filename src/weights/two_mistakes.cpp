#include "weights/two_mistakes.h"

#include <algorithm>

#include "weights/block_match.h"
#include "weights/mending.h"
#include "weights/unexplained.h"

namespace packed {
namespace {

constexpr uint64_t kLeast = 4;  // blocks: fewer are explained by chance

// The block of the reference that stands at a flat place once `first` has been made and `last` has
// moved what there was then.
BlockAt moved(const Observation& seen, const Hypothesis& first, const Hypothesis& last,
              uint64_t flat) {
  const BlockAt then = last.block(flat);
  return first.block(stridesOf(seen.expected.order, seen.grid).at(then.o, then.b));
}

// Whether one mistake and then another make of the reference what stands at a flat place.
bool explain(const Observation& seen, const Hypothesis& first, const Hypothesis& last,
             uint64_t flat) {
  uint8_t block[kMaxBlockBytes], undone[kMaxBlockBytes];
  const uint8_t* found = seen.seenAt(flat);
  if (!last.undo) {
    return sameBytes(found, seen.referenceAt(moved(seen, first, last, flat)), seen.blockBytes);
  }
  last.undo(found, block);
  if (first.undo) first.undo(block, undone);
  return sameBytes(first.undo ? undone : block,
                   first.block ? seen.referenceAt(first.block(flat)) : seen.rightAt(flat),
                   seen.blockBytes);
}

bool explainAll(const Observation& seen, const Hypothesis& first, const Hypothesis& last) {
  for (const uint64_t flat : seen.telling) {
    if (!explain(seen, first, last, flat)) return false;
  }
  for (uint64_t flat = 0; flat < seen.blocks; ++flat) {
    if (!explain(seen, first, last, flat)) return false;
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
  const Hypothesis* last = nullptr;
  for (const Hypothesis& later : hypotheses) {
    for (const Hypothesis& earlier : hypotheses) {
      // What is inside of blocks does not care where they are: it is undone first.
      const bool pair = later.undo ? earlier.undo || earlier.block : later.block && earlier.block;
      if (!pair || &earlier == &later || !explainAll(seen, earlier, later)) continue;
      if (!first) {
        first = &earlier;
        last = &later;
      }
      const auto isOneOf = [&](DiagnosisKind kind) {
        return kind == first->kind || kind == last->kind;
      };
      if (!isOneOf(earlier.kind) || !isOneOf(later.kind)) return std::nullopt;
    }
  }
  if (!first) return std::nullopt;
  const Hypothesis& mover = last->undo ? *first : *last;
  Diagnosis result;
  result.kind = mover.kind;
  result.variant = mover.variant;
  result.explained = result.total = seen.blocks;
  result.message =
      joined(introduction(seen), named(mover), ", and besides ", named(last->undo ? *last : *first),
             ". Together they explain ", seen.blocks, " of ", seen.blocks, " blocks");
  result.fix = joined(last->undo ? "first inside of each block: " : "first ", last->fix, "; then ",
                      first->fix);
  return result;
}

}  // namespace packed
