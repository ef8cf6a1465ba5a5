// A weight as a fuzzer sees it, in blocks or PLAIN: a reference, and bytes that somebody claims to
// be it, made from it by a relayout that may be wrong, or in the other byte order, and a few edits.
#pragma once

#include <algorithm>

#include "fuzz/fuzz_input.h"
#include "layout/permutation.h"
#include "weights/expectation.h"

namespace packed::fuzz {

struct ObservedWeight {
  Encoding encoding = Encoding::Q4_0;
  BlockGrid grid;
  std::vector<uint8_t> reference;  // ROW_MAJOR
  std::vector<uint8_t> observed;
  BlockOrder claimed = BlockOrder::ROW_MAJOR;

  Expectation expectation() const {
    return {.order = claimed, .grid = grid, .reference = Bytes(reference)};
  }
};

inline ObservedWeight observedWeight(FuzzInput& input) {
  ObservedWeight made;
  made.encoding = input.encoding();
  made.grid = {input.between(1, 12), input.between(1, 6)};
  made.claimed = input.flag() ? BlockOrder::INPUT_BLOCK_MAJOR : BlockOrder::ROW_MAJOR;
  if (!specOf(made.encoding).blocked()) {
    // Values, of which a large weight has more than are looked at one by one.
    if (input.below(16) == 1) made.grid = {made.grid.out * 30, made.grid.blocksPerRow * 60};
    made.claimed = BlockOrder::ROW_MAJOR;
  }
  const uint32_t blockBytes = specOf(made.encoding).bytes;
  const uint64_t size = made.grid.out * made.grid.blocksPerRow * blockBytes;
  const uint64_t mistake = input.below(8);
  const uint64_t edits = input.below(4);
  const uint64_t length = input.below(3) == 0 ? input.below(256) * 17 : size;
  std::vector<std::pair<uint64_t, uint8_t>> edited;
  for (uint64_t i = 0; i < edits; ++i) {
    const uint64_t at = input.below(256) * input.below(256);
    edited.emplace_back(at, static_cast<uint8_t>(input.below(256)));
  }
  made.reference = input.content(size);
  made.observed = made.reference;
  const auto permute = [&](BlockGrid grid, BlockOrder from, BlockOrder to) {
    (void)permuteBlocksInPlace(grid, blockBytes, made.observed, from, to);
  };
  constexpr BlockOrder rows = BlockOrder::ROW_MAJOR;
  constexpr BlockOrder kernel = BlockOrder::INPUT_BLOCK_MAJOR;
  const BlockGrid turned = {made.grid.blocksPerRow, made.grid.out};
  if (mistake < 4) permute(made.grid, rows, kernel);
  if (mistake == 3) permute(made.grid, rows, kernel);
  if (mistake == 4) permute(turned, rows, kernel);
  if (mistake == 5) std::ranges::rotate(made.observed, made.observed.begin() + blockBytes);
  if (mistake == 6 && specOf(made.encoding).blocked()) std::ranges::reverse(made.observed);
  if (mistake == 6 && !specOf(made.encoding).blocked()) {
    for (auto value = made.observed.begin(); value != made.observed.end(); value += blockBytes) {
      std::reverse(value, value + blockBytes);
    }
  }
  if (mistake == 7) made.observed.assign(input.rest().begin(), input.rest().end());
  made.observed.resize(std::min<uint64_t>(mistake == 7 ? made.observed.size() : length, 2 * size));
  for (const auto& [at, value] : edited) {
    if (!made.observed.empty()) made.observed[at % made.observed.size()] = value;
  }
  return made;
}

// The reference in the order that is claimed, written down from the picture.
inline std::vector<uint8_t> expectedBytes(const ObservedWeight& weight) {
  const uint32_t blockBytes = specOf(weight.encoding).bytes;
  const auto [out, blocksPerRow] = weight.grid;
  std::vector<uint8_t> made;
  for (uint64_t i = 0; i < out * blocksPerRow; ++i) {
    const bool rows = weight.claimed == BlockOrder::ROW_MAJOR;
    const uint64_t at = rows ? i : i % out * blocksPerRow + i / out;
    const Bytes block = Bytes(weight.reference).subspan(at * blockBytes, blockBytes);
    made.insert(made.end(), block.begin(), block.end());
  }
  return made;
}

}  // namespace packed::fuzz
