#include "weights/value_differences.h"

#include <array>
#include <cmath>

#include "encoding/codec.h"
#include "encoding/lanes.h"

namespace packed {
namespace {

constexpr uint64_t kChunk = 512;

using Doubles = double __attribute__((vector_size(32)));

// Sums over values four by four.
struct Sums {
  Doubles signal = {};
  Doubles squares = {};
  Lanes largest = {};
  IntLanes count = {};
  IntLanes tooFar = {};

  void add(Lanes is, Lanes should) {
    // As bytes: a NaN equals itself, and -0 is not 0.
    const IntLanes differs = reinterpret_cast<IntLanes>(is) != reinterpret_cast<IntLanes>(should);
    const Lanes off = reinterpret_cast<Lanes>(reinterpret_cast<IntLanes>(is - should) & differs);
    const Doubles wideOff = __builtin_convertvector(off, Doubles);
    const Doubles wideShould = __builtin_convertvector(should, Doubles);
    signal += wideShould * wideShould;
    squares += wideOff * wideOff;
    largest = larger(magnitude(off), largest);
    count -= differs;
    tooFar |= differs & ~(magnitude(off) <= magnitude(should) * splat(1.0f / 128));
  }
};

double total(const Doubles& sums) { return (sums[0] + sums[1]) + (sums[2] + sums[3]); }

}  // namespace

ValueDifferences differencesOf(const Observation& seen) {
  Sums sums;
  std::array<float, kChunk> is, should;
  const uint64_t values = seen.countIn(seen.blocks);
  for (uint64_t start = 0; start < values; start += kChunk) {
    const uint64_t count = std::min(kChunk, values - start);
    const uint64_t at = start * (seen.blockBytes / seen.run);
    is.fill(0);
    should.fill(0);
    decodeBlocks(seen.expected.encoding, seen.observed.data() + at, count, is.data());
    decodeBlocks(seen.expected.encoding, seen.right.data() + at, count, should.data());
    for (std::size_t i = 0; i < kChunk; i += 4) {
      sums.add(loadLanes(is.data() + i), loadLanes(should.data() + i));
    }
  }
  ValueDifferences found;
  for (int l = 0; l < 4; ++l) {
    found.count += static_cast<uint32_t>(sums.count[l]);
    found.rounding &= sums.tooFar[l] == 0;
  }
  found.largest = static_cast<double>(largestOf(sums.largest));
  found.relativeRms = std::sqrt(total(sums.squares) / total(sums.signal));
  return found;
}

}  // namespace packed
