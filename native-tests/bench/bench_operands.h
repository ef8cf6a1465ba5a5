// Operands for the benches: real blocks over and over (random bytes would be infinite scales), and
// values as weights have them. Always the same.
#pragma once

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "encoding/encoding.h"
#include "layout/block_order.h"
#include "weights/fixtures.h"

namespace packed::bench {

// 512 rows of 4096: in the second cache for most encodings, so that code is measured, not memory.
inline constexpr uint64_t kOut = 512;
inline constexpr uint64_t kInputDim = 4096;

// The most that the benches of whole weights pass over.
inline constexpr uint64_t kLargeOut = 4096;

inline std::vector<float> bellValues(uint64_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.02f);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

inline std::vector<uint8_t> repeatedBlocks(Encoding encoding, uint64_t values) {
  const EncodingSpec& spec = specOf(encoding);
  std::vector<uint8_t> all(values / spec.elements * spec.bytes);
  auto fixture = fixtures::decodable(encoding);
  if (!fixture) return all;  // PLAIN: zeros
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = fixture->bytes[i % fixture->bytes.size()];
  return all;
}

// Registers `run(state)` under a name put together while running.
template <class Run>
void add(const std::string& name, Run run) {
  benchmark::RegisterBenchmark(name.c_str(), run);
}

inline void countBytes(benchmark::State& state, uint64_t bytes) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bytes));
}

}  // namespace packed::bench
