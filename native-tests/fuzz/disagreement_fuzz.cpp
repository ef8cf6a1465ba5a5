// Bytes that may be a weight: a disagreement is reported exactly when they differ, with the first
// place and the count that a comparison block by block gives.
#include "weights/disagreement.h"

#include "fuzz/observed_weight.h"

using namespace packed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  fuzz::FuzzInput input(data, size);
  const fuzz::ObservedWeight weight = fuzz::observedWeight(input);
  const std::vector<uint8_t> expected = fuzz::expectedBytes(weight);
  const uint32_t blockBytes = specOf(weight.encoding).bytes;
  const auto result = disagreement(weight.observed, weight.encoding, weight.expectation());
  FUZZ_CLAIM(result.ok());
  FUZZ_CLAIM(result->has_value() == (weight.observed != expected));
  if (!*result) return 0;
  const Disagreement& found = **result;
  const uint64_t total = expected.size() / blockBytes;
  uint64_t misplaced = 0;
  uint64_t first = total;
  for (uint64_t i = 0; i < total; ++i) {
    const uint64_t at = i * blockBytes;
    const bool there = at + blockBytes <= weight.observed.size() &&
                       std::equal(expected.begin() + static_cast<long>(at),
                                  expected.begin() + static_cast<long>(at + blockBytes),
                                  weight.observed.begin() + static_cast<long>(at));
    if (!there && misplaced++ == 0) first = i;
  }
  FUZZ_CLAIM(found.total == total && found.misplaced == misplaced && found.flatIndex == first);
  FUZZ_CLAIM(found.belongs.has_value() == (first < total));
  if (found.belongs) {
    FUZZ_CLAIM(flatIndex(weight.claimed, weight.grid, found.belongs->o, found.belongs->b) == first);
  }
  if (found.found) {
    FUZZ_CLAIM(found.candidates == 1);
    const uint64_t from = (found.found->o * weight.grid.blocksPerRow + found.found->b) * blockBytes;
    FUZZ_CLAIM(std::equal(weight.reference.begin() + static_cast<long>(from),
                          weight.reference.begin() + static_cast<long>(from + blockBytes),
                          weight.observed.begin() + static_cast<long>(first * blockBytes)));
  }
  FUZZ_CLAIM(!found.message.empty());
  return 0;
}
