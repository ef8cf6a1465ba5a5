// Comparing blocks: whole blocks, never only their first byte. Written with 8-byte words because a
// block is 17 to 292 bytes, where a call to memcmp costs more than the comparison (and under
// WebAssembly memcmp goes byte by byte).
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "layout/block_order.h"

namespace packed {

// 0 when `size` bytes at a and b are equal. Not a sequence: only zero or not zero means something.
inline uint64_t differenceOf(const uint8_t* a, const uint8_t* b, uint64_t size) {
  if (size < 16) {
    if (size == 4) return loadLE<uint32_t>(a) ^ loadLE<uint32_t>(b);
    if (size == 8) return loadLE<uint64_t>(a) ^ loadLE<uint64_t>(b);
    uint64_t difference = 0;
    for (uint64_t i = 0; i < size; ++i) difference |= static_cast<uint64_t>(a[i] ^ b[i]);
    return difference;
  }
  uint64_t low = 0;
  uint64_t high = 0;
  for (uint64_t i = 0; i + 16 <= size; i += 16) {
    low |= loadLE<uint64_t>(a + i) ^ loadLE<uint64_t>(b + i);
    high |= loadLE<uint64_t>(a + i + 8) ^ loadLE<uint64_t>(b + i + 8);
  }
  // The last 16 bytes once more, overlapping: no rest to loop over.
  low |= loadLE<uint64_t>(a + size - 16) ^ loadLE<uint64_t>(b + size - 16);
  high |= loadLE<uint64_t>(a + size - 8) ^ loadLE<uint64_t>(b + size - 8);
  return low | high;
}

inline bool sameBytes(const uint8_t* a, const uint8_t* b, uint64_t size) {
  // What differs mostly does so at once, and then the other cache lines need not be fetched.
  if (size >= 64 && loadLE<uint64_t>(a) != loadLE<uint64_t>(b)) return false;
  return differenceOf(a, b, size) == 0;
}

// The same for whole weights: looks no further than the first stretch that differs.
bool sameWeights(Bytes one, Bytes other);

// A hash of the bytes, for finding equal blocks; not for storing.
inline uint64_t hashOf(const uint8_t* bytes, uint64_t size) {
  constexpr uint64_t kOdd = 0xBF58476D1CE4E5B9u;
  uint64_t hash = size * kOdd;
  const auto mix = [](uint64_t& to, uint64_t word) {
    to = (to ^ word) * kOdd;
    to ^= to >> 29;
  };
  const auto take = [&](uint64_t word) { mix(hash, word); };
  uint64_t i = 0;
  if (size >= 64) {
    // Four side by side: none waits for another's multiplication.
    uint64_t lanes[4] = {1, 2, 3, 4};
    for (; i + 32 <= size; i += 32) {
      for (uint64_t l = 0; l < 4; ++l) mix(lanes[l], loadLE<uint64_t>(bytes + i + 8 * l));
    }
    for (const uint64_t lane : lanes) take(lane);
  }
  for (; i + 8 <= size; i += 8) take(loadLE<uint64_t>(bytes + i));
  uint64_t last = 0;
  for (; i < size; ++i) last = last << 8 | bytes[i];
  take(last);
  return hash;
}

// A grid of blocks in memory: block (o, b) is at data + strides.at(o, b) * blockBytes.
struct BlockSource {
  const uint8_t* data = nullptr;
  GridStrides strides;
  uint32_t blockBytes = 0;

  const uint8_t* at(uint64_t o, uint64_t b) const { return data + strides.at(o, b) * blockBytes; }
};

// How many blocks (o, b) of the grid differ between the two. Equal stretches are passed over in
// tiles.
uint64_t countDiffering(BlockGrid grid, const BlockSource& one, const BlockSource& other);

// The places in `source` of the blocks that equal `block`, in the order of its memory: all are
// counted, the first few listed. Equal blocks cannot be told apart, so more than one place means
// "one of these".
struct BlockPlaces {
  uint64_t count = 0;
  std::vector<BlockAt> first;  // at most kListed
  static constexpr std::size_t kListed = 3;
};
BlockPlaces placesOf(const uint8_t* block, BlockGrid grid, BlockOrder order, const uint8_t* source,
                     uint32_t blockBytes);

}  // namespace packed
