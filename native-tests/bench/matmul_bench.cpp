// Every kernel of kernels.inc that is not an emulation here, one column and 32. GOPS count
// multiplications and additions apart.
#include "bench/bench_operands.h"
#include "kernels/kernel_info.h"

namespace packed::bench {
namespace {

void runMatmul(benchmark::State& state, const KernelInfo& kernel, uint64_t columns) {
  const EncodingSpec& spec = specOf(kernel.encoding);
  const std::vector<uint8_t> blocks = repeatedBlocks(kernel.encoding, kOut * kInputDim);
  const std::vector<float> x = bellValues(columns * kInputDim);
  std::vector<float> y(columns * kOut);
  MatmulCall call;
  call.blocks = blocks.data();
  call.grid = {kOut, kInputDim / spec.elements};
  call.strides = stridesOf(kernel.order, call.grid);
  call.inputDim = kInputDim;
  call.x = x.data();
  call.columns = columns;
  call.y = y.data();
  std::vector<std::max_align_t> workspace(
      kernel.workspaceBytes({kOut, kInputDim, columns}) / sizeof(std::max_align_t) + 1);
  call.workspace = reinterpret_cast<uint8_t*>(workspace.data());
  for (auto _ : state) {
    kernel.run(call);
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  const double operations = 2.0 * static_cast<double>(kOut * kInputDim * columns);
  state.counters["GOPS"] =
      benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  countBytes(state, blocks.size());
}

const bool registered = [] {
  for (const KernelInfo& kernel : allMatmulKernels()) {
    // Natively relaxed instructions are emulated, for the tests: their speed says nothing.
    if (kernel.isa == Isa::RELAXED) continue;
    for (const uint64_t columns : {1, 32}) {
      add(std::string(kernel.name) + "/columns:" + std::to_string(columns),
          [&kernel, columns](benchmark::State& state) { runMatmul(state, kernel, columns); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace packed::bench
