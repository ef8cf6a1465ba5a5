#include "weights/value_differences.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "encoding/codec.h"
#include "encoding/lanes.h"
#include "weights/block_match.h"

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
  Lanes excess = {};  // over a 128th of the value
  IntLanes noNumber = {};

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
    const Lanes over = magnitude(off) - magnitude(should) * splat(1.0f / 128);
    excess = larger(over, excess);
    noNumber |= differs & ~(over == over);
  }
};

// Rounding leaves most of a number, except of one that is nearly zero beside the others: a format
// of fewer exponents has no small numbers.
bool isRounding(double excess, double signal, uint64_t values) {
  return excess <= std::sqrt(signal / static_cast<double>(values)) / 256;
}

// How far apart two stored numbers are, exactly where doubles can say it.
double distanceOf(double a, double b) { return std::fabs(a - b); }
double distanceOf(int64_t a, int64_t b) {
  const auto from = static_cast<uint64_t>(std::min(a, b));
  return static_cast<double>(static_cast<uint64_t>(std::max(a, b)) - from);
}

// Encodings finer than the f32 that they decode to: numbers that differ may become the same one.
template <class Stored, class Wide>
ValueDifferences differencesOfWide(const Observation& seen) {
  double squares = 0;
  double signal = 0;
  double excess = 0;
  ValueDifferences found;
  for (uint64_t i = 0; i < seen.blocks; ++i) {
    const uint8_t* is = seen.observed.data() + i * sizeof(Stored);
    const uint8_t* should = seen.right.data() + i * sizeof(Stored);
    const auto wanted = static_cast<Wide>(loadLE<Stored>(should));
    const double size = std::fabs(static_cast<double>(wanted));
    signal += size * size;
    if (sameBytes(is, should, sizeof(Stored))) continue;
    const double off = distanceOf(static_cast<Wide>(loadLE<Stored>(is)), wanted);
    ++found.count;
    squares += off * off;
    found.largest = std::max(found.largest, off);
    excess = std::max(excess, off - size / 128);
    found.rounding &= !std::isnan(off);
  }
  found.rounding &= isRounding(excess, signal, seen.blocks);
  found.relativeRms = std::sqrt(squares / signal);
  return found;
}

double total(const Doubles& sums) { return (sums[0] + sums[1]) + (sums[2] + sums[3]); }

}  // namespace

ValueDifferences differencesOf(const Observation& seen) {
  const Encoding encoding = seen.expected.encoding;
  if (encoding == Encoding::F64) return differencesOfWide<double, double>(seen);
  if (encoding == Encoding::I64) return differencesOfWide<int64_t, int64_t>(seen);
  if (encoding == Encoding::I32) return differencesOfWide<int32_t, int64_t>(seen);
  Sums sums;
  std::array<float, kChunk> is, should;
  const uint64_t values = seen.blocks;
  for (uint64_t start = 0; start < values; start += kChunk) {
    const uint64_t count = std::min(kChunk, values - start);
    const uint64_t at = start * seen.blockBytes;
    if (count < kChunk) {
      is.fill(0);
      should.fill(0);
    }
    decodeBlocks(encoding, seen.observed.data() + at, count, is.data());
    decodeBlocks(encoding, seen.right.data() + at, count, should.data());
    for (std::size_t i = 0; i < kChunk; i += 4) {
      sums.add(loadLanes(is.data() + i), loadLanes(should.data() + i));
    }
  }
  ValueDifferences found;
  for (int l = 0; l < 4; ++l) {
    found.count += static_cast<uint32_t>(sums.count[l]);
    found.rounding &= sums.noNumber[l] == 0;
  }
  found.rounding &=
      isRounding(static_cast<double>(largestOf(sums.excess)), total(sums.signal), values);
  found.largest = static_cast<double>(largestOf(sums.largest));
  found.relativeRms = std::sqrt(total(sums.squares) / total(sums.signal));
  return found;
}

}  // namespace packed
