// Decode and quantize of every encoding; bytes are those of the values.
#include "bench/bench_operands.h"
#include "encoding/codec.h"
#include "encoding/quantize.h"

namespace packed::bench {
namespace {

constexpr uint64_t kValues = kOut * kInputDim;

void runDecode(benchmark::State& state, Encoding encoding) {
  const std::vector<uint8_t> blocks = repeatedBlocks(encoding, kValues);
  std::vector<float> values(kValues);
  for (auto _ : state) {
    if (!decode(encoding, blocks, values)) state.SkipWithError("refused");
    benchmark::ClobberMemory();
  }
  countBytes(state, kValues * sizeof(float));
}

void runQuantize(benchmark::State& state, Encoding encoding) {
  constexpr uint64_t kRows = 16;
  const std::vector<float> values = bellValues(kRows * kInputDim);
  const EncodingSpec& spec = specOf(encoding);
  std::vector<uint8_t> blocks(values.size() / spec.elements * spec.bytes);
  for (auto _ : state) {
    if (!quantize(encoding, values, kInputDim, {}, blocks)) state.SkipWithError("refused");
    benchmark::ClobberMemory();
  }
  countBytes(state, values.size() * sizeof(float));
}

const bool registered = [] {
  for (const EncodingSpec& spec : allEncodings()) {
    const Encoding encoding = spec.encoding;
    const std::string name(spec.name);
    if (decodable(encoding)) {
      add("decode_" + name, [encoding](benchmark::State& state) { runDecode(state, encoding); });
    }
    if (quantizable(encoding)) {
      add("quantize_" + name,
          [encoding](benchmark::State& state) { runQuantize(state, encoding); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace packed::bench
