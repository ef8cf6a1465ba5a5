// Blocks of any bytes: every decoder gives the same for a block wherever it stands, a scan that
// finds no fault means finite values, and what is quantized from finite values decodes to finite
// ones.
#include <cmath>
#include <cstring>

#include "encoding/codec.h"
#include "encoding/i2s.h"
#include "encoding/quantize.h"
#include "fuzz/fuzz_input.h"
#include "gguf/value_scan.h"

using namespace packed;
using packed::fuzz::FuzzInput;

namespace {

bool allFinite(const std::vector<float>& values) {
  for (const float value : values) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

uint64_t faultsOf(Encoding encoding, const std::vector<uint8_t>& blocks, uint64_t count) {
  FaultCounts faults{};
  ValueScan(encoding, true).scan(blocks.data(), count, 0, faults);
  uint64_t found = 0;
  for (const FaultCount& fault : faults) {
    FUZZ_CLAIM(fault.blocks <= count);
    found += fault.blocks;
  }
  return found;
}

void quantizeAgain(Encoding encoding, const std::vector<float>& values, uint64_t inputDim) {
  const EncodingSpec& spec = specOf(encoding);
  std::vector<uint8_t> bytes(values.size() / spec.elements * spec.bytes);
  std::vector<float> importance;
  for (uint64_t i = 0; i < inputDim; ++i) importance.push_back(std::fabs(values[i]));
  for (const auto& weights : {std::vector<float>{}, importance}) {
    const auto report = quantize(encoding, values, inputDim, weights, bytes);
    if (!report) {
      FUZZ_CLAIM(report.error().code == ErrorCode::OUT_OF_RANGE);
      continue;
    }
    std::vector<float> decoded(values.size());
    FUZZ_CLAIM(decode(encoding, bytes, decoded).ok());
    FUZZ_CLAIM(allFinite(decoded));
  }
}

void decodeTernaryBytes(FuzzInput& input) {
  const auto order = static_cast<I2sOrder>(input.below(3));
  const uint64_t groups = input.between(1, 4);
  const uint64_t count = groups * (order == I2sOrder::GROUP_128 ? 128 : 64);
  const std::vector<uint8_t> stored = input.content(count / 4 + 4 + input.below(29));
  const auto size = ternaryBytesOf(TernaryEncoding::BITNET_B1_58, count);
  FUZZ_CLAIM(size.ok());
  std::vector<uint8_t> imported(*size);
  std::vector<float> values(count);
  if (importI2S(stored, count, order, imported)) {
    FUZZ_CLAIM(decodeTernary(TernaryEncoding::BITNET_B1_58, imported, values).ok());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  FuzzInput input(data, size);
  if (input.below(16) == 15) return decodeTernaryBytes(input), 0;
  const Encoding encoding = input.encoding();
  const EncodingSpec& spec = specOf(encoding);
  const uint64_t rows = input.between(1, 3);
  const uint64_t blocksPerRow = spec.blocked() ? input.between(1, 3) : input.between(1, 70);
  const uint64_t count = rows * blocksPerRow;
  const std::vector<uint8_t> blocks = input.content(count * spec.bytes);
  std::vector<float> values(count * spec.elements);
  FUZZ_CLAIM(decodable(encoding) == decode(encoding, blocks, values).ok());
  if (!decodable(encoding)) return 0;
  for (uint64_t i = 0; i < count; ++i) {
    std::vector<float> block(spec.elements);
    decodeBlocks(encoding, blocks.data() + i * spec.bytes, 1, block.data());
    FUZZ_CLAIM(std::memcmp(block.data(), values.data() + i * spec.elements,
                           block.size() * sizeof(float)) == 0);
  }
  // F64 and the f32 scale of Q8_K, which no file holds, reach beyond f32.
  const bool clean = faultsOf(encoding, blocks, count) == 0;
  const bool beyond = encoding == Encoding::F64 || encoding == Encoding::Q8_K;
  if (clean && !beyond) FUZZ_CLAIM(allFinite(values));
  const uint64_t inputDim = blocksPerRow * spec.elements;
  if (quantizable(encoding) && allFinite(values)) quantizeAgain(encoding, values, inputDim);
  return 0;
}
