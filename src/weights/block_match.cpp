#include "weights/block_match.h"

#include <algorithm>
#include <cstring>

namespace packed {
namespace {

constexpr uint64_t kTileRows = 256;
constexpr uint64_t kTileBytes = 256;  // of one row
constexpr uint64_t kStretch = 1 << 16;

// Two words side by side: one SIMD register where there is one.
using Pair = uint64_t __attribute__((vector_size(16)));

inline Pair pairAt(const uint8_t* from) {
  Pair pair;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}

// Ors together how `count` pairs of blocks differ. The block size is a constant, so that nothing is
// left to decide between one block and the next.
template <uint32_t size>
uint64_t differenceOfRun(const uint8_t* a, std::size_t aStep, const uint8_t* b, std::size_t bStep,
                         std::size_t count) {
  static_assert(size >= 16);
  Pair difference{};
  for (std::size_t i = 0; i < count; ++i, a += aStep, b += bStep) {
    for (uint32_t at = 0; at + 16 <= size; at += 16) difference |= pairAt(a + at) ^ pairAt(b + at);
    if (size % 16 != 0) difference |= pairAt(a + size - 16) ^ pairAt(b + size - 16);
  }
  return difference[0] | difference[1];
}

using DifferenceOfRun = uint64_t (*)(const uint8_t*, std::size_t, const uint8_t*, std::size_t,
                                     std::size_t);

DifferenceOfRun runFor(uint32_t blockBytes) {
#define X(name, ggmlType, elements, bytes, group, kind)     \
  if constexpr (bytes >= 16) {                              \
    if (blockBytes == bytes) return differenceOfRun<bytes>; \
  }
#include "encoding/encodings.inc"
#undef X
  return nullptr;
}

// A tile: long and narrow, as those of layout/permutation.cpp.
uint64_t countInTile(BlockAt from, BlockAt to, const BlockSource& one, const BlockSource& other,
                     DifferenceOfRun run) {
  uint64_t difference = run ? 0 : 1;
  for (uint64_t b = from.b; run && b < to.b; ++b) {
    difference |=
        run(one.at(from.o, b), static_cast<std::size_t>(one.strides.row * one.blockBytes),
            other.at(from.o, b), static_cast<std::size_t>(other.strides.row * other.blockBytes),
            static_cast<std::size_t>(to.o - from.o));
  }
  if (difference == 0) return 0;
  uint64_t differing = 0;
  for (uint64_t b = from.b; b < to.b; ++b) {
    for (uint64_t o = from.o; o < to.o; ++o) {
      differing += !sameBytes(one.at(o, b), other.at(o, b), one.blockBytes);
    }
  }
  return differing;
}

// Both sides flattened the same way: long stretches at once.
uint64_t countInLine(uint64_t blocks, const uint8_t* one, const uint8_t* other,
                     uint32_t blockBytes) {
  uint64_t differing = 0;
  const uint64_t step = std::max<uint64_t>(1, kStretch / blockBytes);
  for (uint64_t start = 0; start < blocks; start += step) {
    const uint64_t end = std::min(blocks, start + step);
    if (sameBytes(one + start * blockBytes, other + start * blockBytes,
                  (end - start) * blockBytes)) {
      continue;
    }
    for (uint64_t i = start; i < end; ++i) {
      differing += !sameBytes(one + i * blockBytes, other + i * blockBytes, blockBytes);
    }
  }
  return differing;
}

}  // namespace

uint64_t countDiffering(BlockGrid grid, const BlockSource& one, const BlockSource& other) {
  if (one.strides == other.strides) {
    for (const BlockOrder order : {BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR}) {
      if (one.strides == stridesOf(order, grid)) {
        return countInLine(grid.out * grid.blocksPerRow, one.data, other.data, one.blockBytes);
      }
    }
  }
  const uint64_t tileBlocks = std::max<uint64_t>(1, kTileBytes / one.blockBytes);
  const DifferenceOfRun run = runFor(one.blockBytes);
  uint64_t differing = 0;
  for (uint64_t o = 0; o < grid.out; o += kTileRows) {
    for (uint64_t b = 0; b < grid.blocksPerRow; b += tileBlocks) {
      const BlockAt end{std::min(grid.out, o + kTileRows),
                        std::min(grid.blocksPerRow, b + tileBlocks)};
      differing += countInTile({o, b}, end, one, other, run);
    }
  }
  return differing;
}

uint64_t findBytes(Bytes key, Bytes bytes, uint64_t from) {
  using Sixteen = uint8_t __attribute__((vector_size(16)));
  if (key.size() > bytes.size()) return bytes.size();
  const uint64_t end = bytes.size() - key.size() + 1;
  const auto standsAt = [&](uint64_t at) {
    return bytes[at] == key[0] && sameBytes(bytes.data() + at, key.data(), key.size());
  };
  // Sixteen places at once, by their first and their last byte.
  const Sixteen first = Sixteen{} + key.front();
  const Sixteen last = Sixteen{} + key.back();
  for (; from + 16 <= end; from += 16) {
    Sixteen starts, ends;
    std::memcpy(&starts, bytes.data() + from, 16);
    std::memcpy(&ends, bytes.data() + from + key.size() - 1, 16);
    const auto both = (starts == first) & (ends == last);
    Pair any;
    std::memcpy(&any, &both, 16);
    if ((any[0] | any[1]) == 0) continue;
    for (uint64_t at = from; at < from + 16; ++at) {
      if (standsAt(at)) return at;
    }
  }
  for (; from < end; ++from) {
    if (standsAt(from)) return from;
  }
  return bytes.size();
}

BlockPlaces placesOf(const uint8_t* block, BlockGrid grid, BlockOrder order, const uint8_t* source,
                     uint32_t blockBytes) {
  BlockPlaces places;
  const uint64_t blocks = grid.out * grid.blocksPerRow;
  for (uint64_t flat = 0; flat < blocks; ++flat) {
    if (!sameBytes(block, source + flat * blockBytes, blockBytes)) continue;
    if (places.first.size() < BlockPlaces::kListed)
      places.first.push_back(blockAt(order, grid, flat));
    ++places.count;
  }
  return places;
}

}  // namespace packed
