#include "weights/expectation.h"

#include "weights/fixtures.h"
#include "weights/packed_weights.h"

namespace packed {

Result<Expected> resolve(Encoding encoding, const Expectation& expectation) {
  Expected expected;
  expected.encoding = encoding;
  expected.grid = expectation.grid.value_or(fixtures::kPlacementGrid);
  expected.order = expectation.order;
  expected.blockBytes = specOf(encoding).bytes;
  PACKED_TRY(size, gridBytesOf(encoding, expected.grid));
  expected.size = size;
  expected.blocks = size / expected.blockBytes;
  if (expectation.reference) {
    expected.reference = *expectation.reference;
    expected.referenceOrder = expectation.referenceOrder;
  } else if (expected.grid == fixtures::kPlacementGrid) {
    PACKED_TRY(bytes, fixtures::canonical(encoding));
    expected.fixture = std::move(bytes);
    expected.reference = expected.fixture;
  } else if (expected.grid == fixtures::kDecodableGrid) {
    PACKED_TRY(fixture, fixtures::decodable(encoding));
    expected.fixture = std::move(fixture.bytes);
    expected.reference = expected.fixture;
  } else {
    return refuse(ErrorCode::INVALID_ARGUMENT, "no fixture has ", expected.grid.out, " x ",
                  expected.grid.blocksPerRow,
                  " blocks (placement is 4 x 3, decodable 5 x 3); give the "
                  "weight's own bytes as reference");
  }
  if (expected.reference.size() != expected.size) {
    return refuse(ErrorCode::SIZE_MISMATCH, "the reference has ", expected.reference.size(),
                  " bytes; a grid of ", expected.grid.out, " x ", expected.grid.blocksPerRow, " ",
                  nameOf(encoding), " blocks is ", expected.size, " bytes")
        .wanted(joined(expected.size, " bytes"), joined(expected.reference.size(), " bytes"));
  }
  return expected;
}

}  // namespace packed
