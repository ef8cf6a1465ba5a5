#include "weights/census.h"

#include <bit>
#include <memory>
#include <new>

#include "weights/block_match.h"

namespace packed {
namespace {

constexpr uint64_t kTogether = 1 << 14;  // blocks whose table stays in the processor's cache

// Hashes in groups by their upper bits: group g ends where group g + 1 starts.
struct Groups {
  uint64_t* hashes = nullptr;
  uint64_t* ends = nullptr;
  int bits = 0;

  uint64_t of(uint64_t hash) const { return bits == 0 ? 0 : hash >> (64 - bits); }
  uint64_t startOf(uint64_t group) const { return group == 0 ? 0 : ends[group - 1]; }
};

// Calls `each` with a function that takes one hash: once to count them and once to place them.
template <class Each>
void fill(const Groups& groups, Each each) {
  const uint64_t count = uint64_t{1} << groups.bits;
  each([&](uint64_t hash) { ++groups.ends[groups.of(hash)]; });
  uint64_t start = 0;
  for (uint64_t g = 0; g < count; ++g) {
    const uint64_t size = groups.ends[g];
    groups.ends[g] = start;
    start += size;
  }
  each([&](uint64_t hash) { groups.hashes[groups.ends[groups.of(hash)]++] = hash; });
}

// A set of hashes; 0 marks a free slot, and no block has it.
class Table {
 public:
  Table(uint64_t* slots, uint64_t capacity) : slots_(slots), capacity_(capacity) {}
  void clear() { std::fill_n(slots_, capacity_, uint64_t{0}); }
  void add(uint64_t hash) { slotOf(hash) = hash; }
  bool has(uint64_t hash) const { return slotOf(hash) == hash; }

 private:
  uint64_t& slotOf(uint64_t hash) const {
    uint64_t i = hash & (capacity_ - 1);
    while (slots_[i] != 0 && slots_[i] != hash) i = (i + 1) & (capacity_ - 1);
    return slots_[i];
  }
  uint64_t* slots_;
  uint64_t capacity_;
};

uint64_t hashAt(const Observation& seen, const uint8_t* block) {
  const uint64_t hash = hashOf(block, seen.blockBytes);
  return hash + (hash == 0);
}

}  // namespace

// Group by group, so that memory is walked in stretches however many blocks there are.
Result<Census> censusOf(const Observation& seen) {
  const uint64_t present = std::min<uint64_t>(seen.observed.size() / seen.blockBytes, seen.blocks);
  const auto bits = static_cast<int>(std::bit_width(seen.blocks / kTogether));
  const uint64_t groups = uint64_t{1} << bits;
  const uint64_t words = seen.blocks + present + 2 * groups;
  std::unique_ptr<uint64_t[]> room(new (std::nothrow) uint64_t[static_cast<std::size_t>(words)]());
  const auto refusal = [&] {
    return refuse(ErrorCode::OUT_OF_MEMORY, "no memory for ", words * 8, " bytes that looking up ",
                  seen.blocks, " blocks takes");
  };
  if (!room) return refusal();
  const Groups right{room.get(), room.get() + seen.blocks + present, bits};
  const Groups wrong{right.hashes + seen.blocks, right.ends + groups, bits};
  fill(right, [&](auto take) {
    for (uint64_t f = 0; f < seen.blocks; ++f) take(hashAt(seen, seen.rightAt(f)));
  });
  fill(wrong, [&](auto take) {
    for (uint64_t f = 0; f < present; ++f) {
      if (sameBytes(seen.seenAt(f), seen.rightAt(f), seen.blockBytes)) continue;
      take(hashAt(seen, seen.seenAt(f)));
    }
  });
  uint64_t largest = 1;
  for (uint64_t g = 0; g < groups; ++g) {
    largest = std::max(largest, right.ends[g] - right.startOf(g));
  }
  const uint64_t capacity = std::bit_ceil(2 * largest);
  std::unique_ptr<uint64_t[]> slots(new (std::nothrow)
                                        uint64_t[static_cast<std::size_t>(capacity)]);
  if (!slots) return refusal();
  Table table(slots.get(), capacity);
  Census census;
  census.right = present - wrong.ends[groups - 1];
  for (uint64_t g = 0; g < groups; ++g) {
    table.clear();
    for (uint64_t i = right.startOf(g); i < right.ends[g]; ++i) table.add(right.hashes[i]);
    for (uint64_t i = wrong.startOf(g); i < wrong.ends[g]; ++i) {
      ++(table.has(wrong.hashes[i]) ? census.moved : census.nowhere);
    }
  }
  return census;
}

}  // namespace packed
