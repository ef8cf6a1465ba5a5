#include "weights/readings.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "encoding/codec.h"
#include "weights/block_match.h"
#include "weights/distance.h"
#include "weights/mending.h"
#include "weights/sample.h"

namespace packed {
namespace {

// What quantizers differ by is below a third of what the values of a block or a run differ by among
// each other, what tensors differ by above all of it.
class Nearness {
 public:
  // False once it is certain that they are not.
  bool add(const float* found, const float* right, uint64_t count) {
    const Distance distance = distanceOf(found, right, count);
    off_ += distance.off;
    signal_ += distance.signal;
    return std::isfinite(signal_) && std::isfinite(off_) && (++added_ < 16 || off_ <= signal_);
  }
  bool near() const { return off_ * 9 <= signal_; }
  double relativeRms() const { return off_ == 0 ? 0 : std::sqrt(off_ / signal_); }

 private:
  double off_ = 0;
  double signal_ = 0;
  int added_ = 0;
};

// The observed bytes as a weight of its own.
struct Grid {
  Encoding encoding;
  uint64_t rows;
  uint64_t columns;  // values

  uint64_t blocks() const { return columns / specOf(encoding).elements; }
  uint64_t bytes() const { return rows * blocks() * specOf(encoding).bytes; }
};

// So many values of row o from value i on, a whole number of blocks.
void decodeRun(const Grid& grid, BlockOrder order, const uint8_t* bytes, BlockAt from,
               uint64_t count, float* to) {
  const EncodingSpec& spec = specOf(grid.encoding);
  const BlockGrid blocks{grid.rows, grid.blocks()};
  if (order == BlockOrder::ROW_MAJOR) {
    const uint64_t flat = flatIndex(order, blocks, from.o, from.b / spec.elements);
    decodeBlocks(grid.encoding, bytes + flat * spec.bytes, count / spec.elements, to);
    return;
  }
  for (uint64_t i = 0; i < count; i += spec.elements) {
    const uint64_t flat = flatIndex(order, blocks, from.o, (from.b + i) / spec.elements);
    decodeBlocks(grid.encoding, bytes + flat * spec.bytes, 1, to + i);
  }
}

Grid ownGrid(const Observation& seen) {
  const BlockGrid grid = seen.expected.grid;
  return {seen.expected.encoding, grid.out,
          grid.blocksPerRow * specOf(seen.expected.encoding).elements};
}

bool hasValues(const Grid& grid) {
  return decodable(grid.encoding) && grid.columns % specOf(grid.encoding).elements == 0;
}

// A block, or kValuesTogether.
struct Stretch {
  const uint8_t* found;
  const uint8_t* right;
  uint64_t blocks;
};

// Calls visit(stretch) for every one that differs until it says no.
template <class Visit>
bool forDiffering(const Observation& seen, Visit visit) {
  const uint64_t together = seen.plain() ? kValuesTogether : 1;
  for (uint64_t f = 0; f < seen.blocks; f += together) {
    const uint64_t blocks = std::min(together, seen.blocks - f);
    const uint64_t at = f * seen.blockBytes;
    const Stretch stretch{seen.observed.data() + at, seen.right.data() + at, blocks};
    if (!sameBytes(stretch.found, stretch.right, blocks * seen.blockBytes) && !visit(stretch))
      return false;
  }
  return true;
}

// What differs, or a part of it, against what belongs there.
std::optional<double> nearInPlace(const Observation& seen) {
  if (!seen.sameSize()) return std::nullopt;
  const Encoding encoding = seen.expected.encoding;
  const uint32_t elements = specOf(encoding).elements;
  float found[kMaxBlockElements], right[kMaxBlockElements];
  Nearness nearness;
  const auto near = [&](const Stretch& stretch) {
    decodeBlocks(encoding, stretch.found, stretch.blocks, found);
    decodeBlocks(encoding, stretch.right, stretch.blocks, right);
    return nearness.add(found, right, stretch.blocks * elements);
  };
  uint64_t differing = 0;
  // Of other bytes the first few tell already.
  if (!forDiffering(seen, [&](const Stretch& s) { return ++differing > 16 || near(s); })) {
    return std::nullopt;
  }
  // That nothing is off is said of all only.
  for (uint64_t step = 1 + differing / kMostSamples;; step = 1) {
    nearness = {};
    uint64_t index = 0;
    const bool all =
        forDiffering(seen, [&](const Stretch& s) { return index++ % step != 0 || near(s); });
    if (!all || !nearness.near()) return std::nullopt;
    if (nearness.relativeRms() > 0 || step == 1) return nearness.relativeRms();
  }
}

// Whether the bytes are near once they are taken for another encoding, as far as stretches that are
// spread over them tell.
bool nearAs(const Observation& seen, Encoding encoding) {
  const Grid own = ownGrid(seen);
  const Grid grid{encoding, own.rows, own.columns};
  if (!hasValues(grid) || grid.bytes() != seen.observed.size()) return false;
  uint64_t run = std::max(specOf(encoding).elements, specOf(own.encoding).elements);
  if (run == 1) run = std::min<uint64_t>(own.columns, 64);
  std::vector<float> found(run), right(run);
  const uint64_t runs = (own.columns + run - 1) / run;
  const uint64_t all = own.rows * runs;
  Nearness nearness;
  for (uint64_t i = 0; i < std::min(all, kMostSamples); ++i) {
    const uint64_t index = sampleAt(i, all);
    const BlockAt at{index / runs, index % runs * run};
    const uint64_t count = std::min(run, own.columns - at.b);
    decodeRun(grid, seen.expected.order, seen.observed.data(), at, count, found.data());
    decodeRun(own, seen.expected.order, seen.right.data(), at, count, right.data());
    if (!nearness.add(found.data(), right.data(), count)) return false;
  }
  return all > 0 && nearness.near();
}

// Whether the observed bytes are the reference's values with the axes exchanged: a few rows of them
// against columns.
bool nearTransposed(const Observation& seen) {
  const Grid own = ownGrid(seen);
  const Grid turned{own.encoding, own.columns, own.rows};
  if (!seen.sameSize() || own.rows == 1 || !hasValues(turned) || seen.plain()) return false;
  const uint32_t elements = specOf(own.encoding).elements;
  const uint64_t rows = std::min<uint64_t>(own.rows, 4096);  // whole blocks of any encoding
  std::vector<float> found(rows), right(rows), block(elements);
  Nearness nearness;
  for (uint64_t probe = 0; probe < 8; ++probe) {
    const uint64_t column = probe * (own.columns - 1) / 7;
    const uint64_t start = column / elements * elements;
    decodeRun(turned, seen.expected.order, seen.observed.data(), {column, 0}, rows, found.data());
    for (uint64_t o = 0; o < rows; ++o) {
      decodeRun(own, seen.expected.order, seen.right.data(), {o, start}, elements, block.data());
      right[o] = block[column - start];
    }
    if (!nearness.add(found.data(), right.data(), rows)) return false;
  }
  return nearness.near();
}

}  // namespace

Reading readingOf(const Observation& seen) {
  const Encoding own = seen.expected.encoding;
  if (!decodable(own)) return {};
  if (const auto rms = nearInPlace(seen)) {
    return {
        *rms == 0
            ? std::string("; decoded, they are the reference's values, in other bytes")
            : joined("; decoded, they are nearly the reference's values in their places (relative "
                     "RMS ",
                     *rms, "): quantized or rounded in another way, or slightly damaged"),
        "", true};
  }
  for (const EncodingSpec& spec : allEncodings()) {
    if (spec.encoding == own) continue;
    if (!nearAs(seen, spec.encoding)) continue;
    return {joined("; read as ", spec.name, " they are nearly the reference's values"),
            joined("write them as ", nameOf(own), ", or state ", spec.name,
                   " as the type of the tensor"),
            false};
  }
  if (nearTransposed(seen)) {
    return {
        "; decoded, they are nearly the reference's values with the axes exchanged: transposed "
        "and then quantized",
        "quantize the values as they are, [out, in]; what multiplies with them exchanges the "
        "axes by itself: pw.matmul(x, w) is x times the transpose of w",
        false};
  }
  return {};
}

}  // namespace packed
