// What goes once over the blocks of a whole weight: relayout to and fro and in place, disagreement
// in both orders, the scan for NaN and infinity. Bytes are packed ones; of disagreement those of
// both weights.
#include "bench/bench_operands.h"
#include "gguf/tensor_scan.h"
#include "layout/permutation.h"
#include "weights/disagreement.h"

namespace packed::bench {
namespace {

constexpr BlockOrder kRow = BlockOrder::ROW_MAJOR;
constexpr BlockOrder kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

// A weight in both orders.
struct Twice {
  explicit Twice(Encoding encoding)
      : grid{kLargeOut, kInputDim / specOf(encoding).elements},
        blockBytes(specOf(encoding).bytes),
        canonical(repeatedBlocks(encoding, kLargeOut * kInputDim)),
        kernel(canonical.size()) {
    relayout(canonical, kRow, kernel, kKernel);
  }
  void relayout(const std::vector<uint8_t>& from, BlockOrder order, std::vector<uint8_t>& to,
                BlockOrder wanted) const {
    permuteBlocks(grid, blockBytes, from.data(), stridesOf(order, grid), to.data(),
                  stridesOf(wanted, grid));
  }

  BlockGrid grid;
  uint32_t blockBytes;
  std::vector<uint8_t> canonical;
  std::vector<uint8_t> kernel;
};

void runRelayout(benchmark::State& state, Encoding encoding, bool toKernel) {
  Twice weight(encoding);
  for (auto _ : state) {
    if (toKernel) weight.relayout(weight.canonical, kRow, weight.kernel, kKernel);
    if (!toKernel) weight.relayout(weight.kernel, kKernel, weight.canonical, kRow);
    benchmark::ClobberMemory();
  }
  countBytes(state, weight.canonical.size());
}

// There and back, and so twice the bytes.
void runInPlace(benchmark::State& state, Encoding encoding) {
  Twice weight(encoding);
  for (auto _ : state) {
    const MutableBytes bytes = weight.canonical;
    if (!permuteBlocksInPlace(weight.grid, weight.blockBytes, bytes, kRow, kKernel).ok() ||
        !permuteBlocksInPlace(weight.grid, weight.blockBytes, bytes, kKernel, kRow).ok()) {
      state.SkipWithError("refused");
    }
    benchmark::ClobberMemory();
  }
  countBytes(state, 2 * weight.canonical.size());
}

void runDisagreement(benchmark::State& state, Encoding encoding, BlockOrder order) {
  const Twice weight(encoding);
  Expectation expectation;
  expectation.order = order;
  expectation.grid = weight.grid;
  expectation.reference = weight.canonical;
  const std::vector<uint8_t> observed = order == kRow ? weight.canonical : weight.kernel;
  for (auto _ : state) {
    auto found = disagreement(observed, encoding, expectation);
    if (!found || *found) state.SkipWithError("it found what is not there");
  }
  countBytes(state, 2 * observed.size());
}

void runScan(benchmark::State& state, Encoding encoding) {
  const std::vector<uint8_t> blocks = repeatedBlocks(encoding, kLargeOut * kInputDim);
  for (auto _ : state) {
    TensorScan scan = TensorScan::ofBlocks(encoding, true);
    scan.feed(blocks);
    benchmark::DoNotOptimize(scan.faults());
  }
  countBytes(state, blocks.size());
}

const bool registered = [] {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked()) continue;
    const Encoding encoding = spec.encoding;
    const std::string name(spec.name);
    using State = benchmark::State;
    add("prepack_" + name, [=](State& state) { runRelayout(state, encoding, true); });
    add("canonical_" + name, [=](State& state) { runRelayout(state, encoding, false); });
    add("in_place_" + name, [=](State& state) { runInPlace(state, encoding); });
    add("disagreement_row_major_" + name,
        [=](State& state) { runDisagreement(state, encoding, kRow); });
    add("disagreement_input_major_" + name,
        [=](State& state) { runDisagreement(state, encoding, kKernel); });
    add("scan_" + name, [=](State& state) { runScan(state, encoding); });
  }
  return true;
}();

}  // namespace
}  // namespace packed::bench
