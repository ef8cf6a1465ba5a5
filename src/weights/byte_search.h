// Bytes wherever they stand: no grid, no blocks.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.h"

namespace packed {

// The first place at or after `from` where `key`, which is not empty, stands in `bytes`;
// bytes.size() when there is none.
uint64_t findBytes(Bytes key, Bytes bytes, uint64_t from);

// How many of the keys stand anywhere in `bytes`; at `enough` of them the search may stop. All are
// searched in one pass over the memory.
std::size_t countStanding(std::span<const Bytes> keys, Bytes bytes, std::size_t enough);

// One byte again and again; not empty.
bool isUniform(Bytes bytes);

// Zeros, or bytes with all bits set: cleared or erased memory, which stands for nothing;
// not empty.
inline bool isFiller(Bytes bytes) {
  return (bytes[0] == 0 || bytes[0] == 0xff) && isUniform(bytes);
}

// Pieces to search for, of each sort as many as say anything new: fillers do not, and one byte
// again and again does once, whether it is padding or a block of a placement fixture.
class Pieces {
 public:
  explicit Pieces(std::size_t most) : most_(most) {}
  void keep(Bytes piece);
  const std::vector<Bytes>& varied() const { return varied_; }
  const std::vector<Bytes>& uniform() const { return uniform_; }

 private:
  std::size_t most_;
  std::vector<Bytes> varied_, uniform_;
};

// True of any permutation of the same bytes, and hardly ever of anything else.
bool sameByteSums(Bytes one, Bytes other);

}  // namespace packed
