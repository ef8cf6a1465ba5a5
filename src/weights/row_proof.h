// That every observed row stands in the reference, byte for byte, in whatever place: hashes say
// where. Of more rows than a table is worth the hashes alone have to do.
#pragma once

#include <vector>

#include "weights/hypothesis.h"

namespace packed {

class RowProof {
 public:
  RowProof(const Observation& seen, BlockGrid rows);

  // Whether rows are held against rows at all.
  bool complete() const { return rows_.out <= kMostRows; }

  // The hash of each row, first of all that were found, then of all of the reference.
  void found(uint64_t row, uint64_t hash);
  void right(uint64_t row, uint64_t hash);
  bool holds();

 private:
  static constexpr uint64_t kMostRows = 1 << 16;
  static constexpr uint32_t kFree = UINT32_MAX;

  uint32_t& slotOf(uint64_t hash, uint64_t row, const uint8_t* bytes);
  bool equal(const uint8_t* bytes, uint64_t row, uint64_t right) const;

  const Observation& seen_;
  BlockGrid rows_;
  GridStrides strides_;
  std::vector<uint64_t> found_;
  std::vector<uint32_t> slots_;  // rows of the reference, no two of them equal
};

}  // namespace packed
