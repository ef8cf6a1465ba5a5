#include "gguf/tensor_scan.h"

#include <algorithm>
#include <cstring>

namespace packed {

namespace {

// Whether each of the first `size` bytes equals the one `stride` further on. A vector at a time;
// the C library's memcmp compares single bytes on wasm, which zeros by the gigabyte would feel.
bool repeats(const uint8_t* bytes, uint64_t size, uint64_t stride) {
  constexpr uint64_t kChunk = 2048;
  uint64_t at = 0;
  for (; at + kChunk <= size; at += kChunk) {
    uint64_t difference = 0;
    for (uint64_t i = 0; i < kChunk; i += 8) {
      difference |= loadLE<uint64_t>(bytes + at + i) ^ loadLE<uint64_t>(bytes + at + stride + i);
    }
    if (difference != 0) return false;
  }
  return std::memcmp(bytes + at, bytes + at + stride, static_cast<std::size_t>(size - at)) == 0;
}

}  // namespace

TensorScan::TensorScan(std::optional<ValueScan> values, uint32_t stride)
    : values_(values), stride_(stride), cut_(stride) {}

TensorScan TensorScan::ofBlocks(Encoding encoding, bool littleEndian) {
  return {ValueScan(encoding, littleEndian), specOf(encoding).bytes};
}

TensorScan TensorScan::ofTernaryCodes() { return {ValueScan::ofTernaryCodes(), 1}; }

TensorScan TensorScan::ofBytes() { return {std::nullopt, 1}; }

void TensorScan::feed(Bytes piece) {
  cut_.accept(piece, [this](const uint8_t* blocks, uint64_t count) { consume(blocks, count); });
}

void TensorScan::feedZeros(uint64_t count) {
  const std::vector<uint8_t> zeros(stride_);
  const auto some = [&](uint64_t size) {
    feed(Bytes(zeros).first(static_cast<std::size_t>(size)));
    count -= size;
  };
  if (cut_.begun() > 0) some(std::min<uint64_t>(count, stride_ - cut_.begun()));
  const uint64_t whole = count / stride_;
  if (whole > 0) {
    some(stride_);  // one for the comparison with the first block; the others are like it
    blocks_ += whole - 1;
    count -= (whole - 1) * stride_;
  }
  if (count > 0) some(count);
}

bool TensorScan::allZero() const {
  return constant() && std::ranges::all_of(first_, [](uint8_t byte) { return byte == 0; });
}

void TensorScan::consume(const uint8_t* blocks, uint64_t count) {
  if (first_.empty()) first_.assign(blocks, blocks + stride_);
  // The first differing block ends this for good: on real weights at once.
  constant_ = constant_ && std::memcmp(blocks, first_.data(), stride_) == 0 &&
              repeats(blocks, (count - 1) * stride_, stride_);
  if (values_) values_->scan(blocks, count, blocks_, faults_);
  blocks_ += count;
}

}  // namespace packed
