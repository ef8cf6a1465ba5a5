#include "weights/expectation.h"

#include "base/checked.h"
#include "weights/fixtures.h"

namespace packed {
namespace {

// Values without blocks have no order of blocks and no fixture.
Status checkPlain(Encoding encoding, const Expectation& expectation) {
  if (expectation.order == BlockOrder::ROW_MAJOR &&
      expectation.referenceOrder == BlockOrder::ROW_MAJOR && expectation.grid &&
      expectation.reference) {
    return Done{};
  }
  return refuse(ErrorCode::NOT_BLOCKED, nameOf(encoding),
                " has no blocks, hence no kernel order and no fixture: its values are compared in "
                "ROW_MAJOR with a reference, as a grid of out x (values of a row)");
}

}  // namespace

Result<Expected> resolve(Encoding encoding, const Expectation& expectation) {
  Expected expected;
  expected.encoding = encoding;
  expected.grid = expectation.grid.value_or(fixtures::kPlacementGrid);
  expected.order = expectation.order;
  expected.blockBytes = specOf(encoding).bytes;
  if (!specOf(encoding).blocked()) PACKED_CHECK(checkPlain(encoding, expectation));
  const auto size =
      checkedProduct(expected.grid.out, expected.grid.blocksPerRow, specOf(encoding).bytes);
  if (!size) {
    return refuse(ErrorCode::SIZE_OVERFLOW, expected.grid.out, " x ", expected.grid.blocksPerRow,
                  " ", nameOf(encoding), " blocks do not fit 64 bits");
  }
  expected.size = *size;
  expected.blocks = *size / expected.blockBytes;
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
