// The mistakes of converters, each made on purpose and written down without any of the library's
// own arithmetic: the independent half of the diagnosis tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "weights/diagnosis.h"

namespace packed::mistakes {

// A weight as a file holds it.
struct Weight {
  Encoding encoding = Encoding::Q4_0;
  BlockGrid grid;
  std::vector<uint8_t> bytes;  // ROW_MAJOR

  uint64_t blockBytes() const { return specOf(encoding).bytes; }
  const uint8_t* block(uint64_t o, uint64_t b) const {
    return bytes.data() + (o * grid.blocksPerRow + b) * blockBytes();
  }
};

// Pseudo-random bytes with plausible scales, no two blocks alike.
Weight distinct(Encoding encoding, BlockGrid grid);
Weight constant(Encoding encoding, BlockGrid grid);   // one block everywhere
Weight equalRows(Encoding encoding, BlockGrid grid);  // all rows alike
// Weights of little content: few different blocks or bytes, lines that come twice.
std::vector<Weight> monotonous(Encoding encoding, BlockGrid grid);

// The bytes as they should be in the order.
std::vector<uint8_t> inOrder(const Weight& weight, BlockOrder order);

struct Mistake {
  std::string name;
  DiagnosisKind kind;
  // The bytes that a converter with this mistake produces where `order` is expected; empty when the
  // mistake cannot be made on this weight.
  std::function<std::vector<uint8_t>(const Weight& weight, BlockOrder order)> make;
};

const std::vector<Mistake>& all();

inline constexpr BlockOrder kOrders[] = {BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR};
std::vector<Encoding> blockedEncodings();

// What the library says of the bytes where the weight is expected in `order`.
Diagnosis diagnosed(const std::vector<uint8_t>& bytes, const Weight& weight, BlockOrder order);

// Those that take blocks apart: interleaved rows, scales and codes, packings. Part of all().
std::vector<Mistake> insideBlocks();

// Those that write the fields of blocks apart from each other, round blocks up, or do not end where
// the weight does. Part of all().
std::vector<Mistake> aroundBlocks();

}  // namespace packed::mistakes
