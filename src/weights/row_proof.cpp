#include "weights/row_proof.h"

#include <bit>

#include "weights/block_match.h"

namespace packed {

RowProof::RowProof(const Observation& seen, BlockGrid rows)
    : seen_(seen), rows_(rows), strides_(stridesOf(seen.expected.order, rows)) {
  if (!complete()) return;
  found_.resize(static_cast<std::size_t>(rows.out));
  slots_.assign(std::bit_ceil(2 * static_cast<std::size_t>(rows.out)), kFree);
}

void RowProof::found(uint64_t row, uint64_t hash) {
  if (complete()) found_[static_cast<std::size_t>(row)] = hash;
}

void RowProof::right(uint64_t row, uint64_t hash) {
  if (complete()) slotOf(hash, row, seen_.right.data()) = static_cast<uint32_t>(row);
}

bool RowProof::holds() {
  for (uint64_t row = 0; row < found_.size(); ++row) {
    if (slotOf(found_[row], row, seen_.observed.data()) == kFree) return false;
  }
  return true;
}

// Of the reference's row that equals this one, or the free one where it would be.
uint32_t& RowProof::slotOf(uint64_t hash, uint64_t row, const uint8_t* bytes) {
  std::size_t i = static_cast<std::size_t>(hash) & (slots_.size() - 1);
  while (slots_[i] != kFree && !equal(bytes, row, slots_[i])) i = (i + 1) & (slots_.size() - 1);
  return slots_[i];
}

bool RowProof::equal(const uint8_t* bytes, uint64_t row, uint64_t right) const {
  const bool whole = strides_.block == 1;
  const uint64_t size = seen_.blockBytes * (whole ? rows_.blocksPerRow : 1);
  for (uint64_t b = 0; b < (whole ? 1 : rows_.blocksPerRow); ++b) {
    if (!sameBytes(bytes + strides_.at(row, b) * seen_.blockBytes,
                   seen_.right.data() + strides_.at(right, b) * seen_.blockBytes, size)) {
      return false;
    }
  }
  return true;
}

}  // namespace packed
