// Whole blocks in the arrangement that a wrong relayout leaves behind. With P the relayout of the
// grid from ROW_MAJOR to INPUT_BLOCK_MAJOR and R the blocks as a file holds them, the mistakes are
// P(P(R)), P of another grid (R), and R itself where P(R) is wanted.
#include "weights/block_match.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"

namespace packed {
namespace {

// Where the block comes from that a relayout of `grid` puts at place `flat`.
uint64_t relaidFrom(BlockGrid grid, uint64_t flat) {
  const BlockAt at = blockAt(BlockOrder::INPUT_BLOCK_MAJOR, grid, flat);
  return flatIndex(BlockOrder::ROW_MAJOR, grid, at.o, at.b);
}

// Proposes "the block at ROW_MAJOR place from(f) of the reference stands at f".
template <class From>
void propose(const Observation& seen, Hypotheses& to, DiagnosisKind kind, std::string variant,
             std::string fix, From from) {
  const auto block = [&seen, from](uint64_t window) {
    return blockAt(BlockOrder::ROW_MAJOR, seen.grid, from(window));
  };
  to.push_back({kind, std::move(variant), std::move(fix),
                [&seen, block](uint64_t window) {
                  return sameBytes(seen.seenAt(window), seen.referenceAt(block(window)),
                                   seen.lengthAt(window))
                             ? Fit::FITS
                             : Fit::MISFIT;
                },
                1, block});
}

constexpr const char* kRedo =
    "start again from the file's bytes with the label the right way round: "
    "file.view(name, { weightForm: { shape: 'OUT_IN', order: 'KERNEL_FEED' } }); "
    "pw.requireOutIn(rows, inputDim, encoding) refuses a swapped label whose rows are no whole "
    "blocks";

}  // namespace

void proposeArrangements(const Observation& seen, Hypotheses& to) {
  if (seen.plain() || seen.observed.size() > seen.right.size()) return;
  const BlockGrid grid = seen.grid;
  const BlockGrid turned{grid.blocksPerRow, grid.out};
  const bool kernel = seen.expected.order == BlockOrder::INPUT_BLOCK_MAJOR;
  const BlockOrder other = otherOrder(seen.expected.order);
  const auto relaid = [grid](uint64_t f) { return relaidFrom(grid, f); };
  const auto twice = [grid](uint64_t f) { return relaidFrom(grid, relaidFrom(grid, f)); };
  const auto back = [turned](uint64_t f) { return relaidFrom(turned, f); };
  const std::string found = joined("the bytes are ", nameOf(other));

  if (kernel) {
    propose(seen, to, DiagnosisKind::OTHER_ORDER, found, relayoutCall(seen, other),
            [](uint64_t f) { return f; });
  } else {
    propose(seen, to, DiagnosisKind::OTHER_ORDER, found, relayoutCall(seen, other), relaid);
  }

  const std::string undoOnce = joined(
      "relayout once; to undo the second one: pw.toCanonicalOrder(",
      packCall(seen, BlockOrder::INPUT_BLOCK_MAJOR),
      ").bytes. Hand on the tagged value instead of bare bytes: toKernelOrder then does nothing "
      "the second time");
  propose(seen, to, DiagnosisKind::PREPACKED_TWICE, "ROW_MAJOR to INPUT_BLOCK_MAJOR, applied twice",
          undoOnce, twice);
  propose(seen, to, DiagnosisKind::SWAPPED_LABEL, "the grid was taken as [blocksPerRow, out]",
          kRedo, back);
  if (!kernel) {
    // The way back has the same two mistakes, and they leave the same bytes the other way round.
    propose(seen, to, DiagnosisKind::PREPACKED_TWICE,
            "INPUT_BLOCK_MAJOR to ROW_MAJOR, applied to ROW_MAJOR bytes", kRedo, back);
    propose(seen, to, DiagnosisKind::SWAPPED_LABEL,
            "the way back to ROW_MAJOR took the grid as [blocksPerRow, out]", kRedo, twice);
  }
  const uint32_t elements = specOf(seen.expected.encoding).elements;
  const BlockGrid labelled{grid.blocksPerRow * elements, grid.out / elements};
  // A weight with as many rows as columns has the same label both ways: swapping it is no mistake.
  if (grid.out % elements == 0 && labelled != grid) {
    propose(seen, to, DiagnosisKind::SWAPPED_LABEL,
            joined("the weight was taken as ", labelled.out, " rows of ",
                   counted(labelled.blocksPerRow, "block")),
            kRedo, [labelled](uint64_t f) { return relaidFrom(labelled, f); });
  }
}

}  // namespace packed
