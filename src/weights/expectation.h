// Expectation: what the bytes of a weight are held against. Either a reference (the same weight as
// a file holds it, or in a stated order) or, without one, a fixture: the grid says which.
//
// Shared by disagreement, which finds the first block in the wrong place, and diagnosis, which
// names the mistake.
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "encoding/encoding.h"
#include "layout/block_order.h"

namespace packed {

struct Expectation {
  BlockOrder order = BlockOrder::ROW_MAJOR;  // in which the observed bytes are claimed to be
  std::optional<BlockGrid> grid = {};        // absent: that of the placement fixture, 4 x 3
  std::optional<Bytes> reference = {};       // absent: the fixture that has the grid
  BlockOrder referenceOrder = BlockOrder::ROW_MAJOR;
};

// An expectation with its bytes at hand.
struct Expected {
  Encoding encoding = Encoding::F32;
  BlockGrid grid;
  uint32_t blockBytes = 0;
  uint64_t blocks = 0;
  uint64_t size = 0;  // of all blocks, in bytes
  BlockOrder order = BlockOrder::ROW_MAJOR;
  BlockOrder referenceOrder = BlockOrder::ROW_MAJOR;
  Bytes reference;  // the caller's, or `fixture`
  std::vector<uint8_t> fixture;
};

// A value of a PLAIN encoding counts as a block: NOT_BLOCKED unless order is ROW_MAJOR and grid and
// reference are given. Errors: SIZE_OVERFLOW, SIZE_MISMATCH when the reference is not exactly the
// grid, INVALID_ARGUMENT when there is no reference and no fixture of the grid (4 x 3: placement,
// 5 x 3: decodable).
Result<Expected> resolve(Encoding encoding, const Expectation& expectation);

}  // namespace packed
