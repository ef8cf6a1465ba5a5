#include "weights/disagreement.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "weights/fixtures.h"
#include "weights/packed_weights.h"

using namespace packed;

namespace {

constexpr BlockOrder ROW_MAJOR = BlockOrder::ROW_MAJOR;
constexpr BlockOrder INPUT_BLOCK_MAJOR = BlockOrder::INPUT_BLOCK_MAJOR;

std::vector<uint8_t> weight(Encoding encoding, BlockGrid grid) {
  std::vector<uint8_t> bytes(*gridBytesOf(encoding, grid));
  uint32_t state = 12345;
  for (uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<uint8_t>(state >> 24);
  }
  return bytes;
}

std::vector<uint8_t> relaid(const std::vector<uint8_t>& bytes, Encoding encoding, BlockGrid grid) {
  std::vector<uint8_t> to(bytes.size());
  REQUIRE(relayout(encoding, grid, ROW_MAJOR, bytes, INPUT_BLOCK_MAJOR, to));
  return to;
}

Expectation against(Bytes reference, BlockGrid grid, BlockOrder order) {
  return {order, grid, reference, ROW_MAJOR};
}

}  // namespace

TEST_CASE("disagreement: fixtures of every encoding agree in their order and not in the other") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked()) continue;
    const auto canonical = *fixtures::canonical(spec.encoding);
    const auto kernel = *fixtures::kernelOrder(spec.encoding);
    CHECK(!disagreement(canonical, spec.encoding, {ROW_MAJOR})->has_value());
    CHECK(!disagreement(kernel, spec.encoding, {INPUT_BLOCK_MAJOR})->has_value());
    const auto wrong = **disagreement(canonical, spec.encoding, {INPUT_BLOCK_MAJOR});
    CHECK(wrong.flatIndex == 1);
    CHECK(*wrong.belongs == BlockAt{1, 0});
    CHECK(*wrong.found == BlockAt{0, 1});
    CHECK(wrong.misplaced == 10);
    CHECK(wrong.total == 12);
    const auto otherWay = **disagreement(kernel, spec.encoding, {ROW_MAJOR});
    CHECK(*otherWay.belongs == BlockAt{0, 1});
    CHECK(*otherWay.found == BlockAt{1, 0});
  }
}

TEST_CASE(
    "disagreement: Q4_0 5 x 3 read in the other order: (0,1) and (1,0) trade, 12 of 15 misplaced") {
  const auto file = weight(Encoding::Q4_0, {5, 3});
  const auto wrong = **disagreement(file, Encoding::Q4_0, against(file, {5, 3}, INPUT_BLOCK_MAJOR));
  CHECK(wrong.flatIndex == 1);
  CHECK(*wrong.belongs == BlockAt{1, 0});
  CHECK(*wrong.found == BlockAt{0, 1});
  CHECK(wrong.misplaced == 12);
  CHECK(wrong.total == 15);
  CHECK(wrong.message ==
        "Q4_0, 5 x 3 blocks in INPUT_BLOCK_MAJOR: first block in the wrong place: flat 1 belongs "
        "to block "
        "(1,0), but block (0,1) stands there; 12 of 15 misplaced");
  const auto kernel = relaid(file, Encoding::Q4_0, {5, 3});
  const auto other = **disagreement(kernel, Encoding::Q4_0, against(file, {5, 3}, ROW_MAJOR));
  CHECK(*other.belongs == BlockAt{0, 1});
  CHECK(*other.found == BlockAt{1, 0});
  CHECK(other.misplaced == 12);
}

TEST_CASE("disagreement: a grid of 5 x 3 without a reference is the decodable fixture") {
  const auto fixture = *fixtures::decodable(Encoding::Q6_K);
  CHECK(!disagreement(fixture.bytes, Encoding::Q6_K, {ROW_MAJOR, BlockGrid{5, 3}})->has_value());
  CHECK(disagreement(fixture.bytes, Encoding::Q6_K, {INPUT_BLOCK_MAJOR, BlockGrid{5, 3}})
            ->has_value());
  CHECK(disagreement(fixture.bytes, Encoding::Q6_K, {ROW_MAJOR, BlockGrid{6, 3}}).error().code ==
        ErrorCode::INVALID_ARGUMENT);
}

TEST_CASE("disagreement: one bit anywhere in a block is seen, also in its last byte") {
  // Eight blocks of a row are compared together, their bytes joined to registers, and one alone.
  const BlockGrid grid{3, 9};
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked()) continue;
    const auto file = weight(spec.encoding, grid);
    auto kernel = relaid(file, spec.encoding, grid);
    for (uint32_t b = 0; b < grid.blocksPerRow; ++b) {
      const uint64_t flat = b * grid.out + 1;
      for (uint32_t byte = 0; byte < spec.bytes; ++byte) {
        uint8_t& damaged = kernel[static_cast<std::size_t>(flat * spec.bytes + byte)];
        damaged ^= 0x10;
        const auto wrong =
            **disagreement(kernel, spec.encoding, against(file, grid, INPUT_BLOCK_MAJOR));
        damaged ^= 0x10;
        REQUIRE(wrong.flatIndex == flat);
        REQUIRE(*wrong.belongs == BlockAt{1, b});
        REQUIRE(!wrong.found);
        REQUIRE(wrong.candidates == 0);
        REQUIRE(wrong.misplaced == 1);
      }
    }
  }
}

TEST_CASE("disagreement: every length that is not the right one is a disagreement") {
  const BlockGrid grid{4, 3};
  const auto file = weight(Encoding::Q4_0, grid);
  for (const BlockOrder order : {ROW_MAJOR, INPUT_BLOCK_MAJOR}) {
    const auto right = order == ROW_MAJOR ? file : relaid(file, Encoding::Q4_0, grid);
    for (std::size_t size = 0; size < right.size(); ++size) {
      const std::vector<uint8_t> cut(right.begin(),
                                     right.begin() + static_cast<std::ptrdiff_t>(size));
      const auto wrong = **disagreement(cut, Encoding::Q4_0, against(file, grid, order));
      REQUIRE(wrong.flatIndex == size / 18);
      REQUIRE(wrong.misplaced == 12 - size / 18);
      REQUIRE(wrong.actualBytes == size);
    }
    auto longer = right;
    longer.push_back(0);
    const auto wrong = **disagreement(longer, Encoding::Q4_0, against(file, grid, order));
    CHECK(wrong.misplaced == 0);
    CHECK(!wrong.belongs);
    CHECK(wrong.flatIndex == 12);
    CHECK(wrong.message.find("1 bytes too many: 217 where 216 belong") != std::string::npos);
  }
}

TEST_CASE("disagreement: equal blocks are not told apart") {
  const BlockGrid grid{4, 3};
  auto file = weight(Encoding::Q4_0, grid);
  for (const int flat : {1, 5, 6, 7, 9}) {
    std::copy_n(file.begin(), 18, file.begin() + 18 * flat);
  }
  auto damaged = file;
  std::copy_n(file.begin(), 18, damaged.begin() + 18 * 2);
  const auto wrong = **disagreement(damaged, Encoding::Q4_0, against(file, grid, ROW_MAJOR));
  CHECK(wrong.candidates == 6);
  CHECK(!wrong.found);
  CHECK(wrong.message.find("one of 6 equal blocks stands there: (0,0), (0,1), (1,2), ..") !=
        std::string::npos);
}

TEST_CASE("disagreement: constant bytes agree in either order, because nothing differs") {
  const std::vector<uint8_t> zeros(12 * 18);
  CHECK(!disagreement(zeros, Encoding::Q4_0, against(zeros, {4, 3}, ROW_MAJOR))->has_value());
  CHECK(
      !disagreement(zeros, Encoding::Q4_0, against(zeros, {4, 3}, INPUT_BLOCK_MAJOR))->has_value());
}

TEST_CASE("disagreement: a reference may be given in kernel order") {
  const BlockGrid grid{33, 21};
  const auto file = weight(Encoding::Q5_1, grid);
  const auto kernel = relaid(file, Encoding::Q5_1, grid);
  const Expectation expectation{ROW_MAJOR, grid, kernel, INPUT_BLOCK_MAJOR};
  CHECK(!disagreement(file, Encoding::Q5_1, expectation)->has_value());
  CHECK((*disagreement(kernel, Encoding::Q5_1, expectation))->misplaced > 600);
}

TEST_CASE("disagreement: counts what is misplaced exactly, across tiles") {
  const BlockGrid grid{131, 37};
  const auto file = weight(Encoding::Q4_0, grid);
  auto kernel = relaid(file, Encoding::Q4_0, grid);
  for (const int flat : {17, 18, 900, 4000, 131 * 37 - 1})
    kernel[static_cast<std::size_t>(flat) * 18] ^= 1;
  const auto wrong = **disagreement(kernel, Encoding::Q4_0, against(file, grid, INPUT_BLOCK_MAJOR));
  CHECK(wrong.misplaced == 5);
  CHECK(wrong.flatIndex == 17);
}

namespace {

// Damages one block after another and looks at what is said of it; `step` leaves some out between
// the first and the last 24 rows.
void checkEveryBlock(Encoding encoding, BlockGrid grid, uint64_t step = 1) {
  const uint32_t size = specOf(encoding).bytes;
  const auto canonical = weight(encoding, grid);
  const auto kernel = relaid(canonical, encoding, grid);
  for (const BlockOrder referenceOrder : {ROW_MAJOR, INPUT_BLOCK_MAJOR}) {
    for (const BlockOrder order : {ROW_MAJOR, INPUT_BLOCK_MAJOR}) {
      const auto& reference = referenceOrder == ROW_MAJOR ? canonical : kernel;
      auto observed = order == ROW_MAJOR ? canonical : kernel;
      const Expectation expectation{order, grid, reference, referenceOrder};
      REQUIRE(!disagreement(observed, encoding, expectation)->has_value());
      for (uint64_t o = 0; o < grid.out; ++o) {
        if (o >= 8 && o + 8 < grid.out && o % step != 0) continue;
        for (uint64_t b = 0; b < grid.blocksPerRow; ++b) {
          const uint64_t flat = flatIndex(order, grid, o, b);
          uint8_t& byte = observed[flat * size + (o * 7 + b * 5) % size];
          byte ^= 0x40;
          const auto wrong = **disagreement(observed, encoding, expectation);
          byte ^= 0x40;
          REQUIRE(wrong.misplaced == 1);
          REQUIRE(wrong.flatIndex == flat);
          REQUIRE(*wrong.belongs == BlockAt{o, b});
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("disagreement: one damaged block is found wherever it is, for every size of block") {
  // Tiles are 8 blocks wide, by 1024 rows, or by 64 of those long enough to be brought first, by
  // turns (base/faster_way.h).
  std::vector<uint32_t> seen;
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked() || std::count(seen.begin(), seen.end(), spec.bytes) > 0) continue;
    CAPTURE(spec.name);
    seen.push_back(spec.bytes);
    for (const BlockGrid grid : {BlockGrid{1, 1}, {1, 17}, {17, 1}, {7, 9}, {9, 8}, {5, 19}}) {
      checkEveryBlock(spec.encoding, grid);
    }
    checkEveryBlock(spec.encoding, {1025, 3}, 100);
    checkEveryBlock(spec.encoding, {67, 2048 / spec.bytes + 3}, 32);
  }
  CHECK(seen.size() > 15);
}

TEST_CASE(
    "disagreement: refuses a reference of another size, plain encodings and grids that overflow") {
  const auto file = weight(Encoding::Q4_0, {4, 3});
  const auto code = [&](Encoding encoding, BlockGrid grid) {
    return disagreement(file, encoding, against(file, grid, ROW_MAJOR)).error().code;
  };
  CHECK(code(Encoding::Q4_0, {4, 4}) == ErrorCode::SIZE_MISMATCH);
  CHECK(code(Encoding::F32, {4, 3}) == ErrorCode::SIZE_MISMATCH);
  CHECK(disagreement(file, Encoding::F32, {ROW_MAJOR, BlockGrid{9, 6}}).error().code ==
        ErrorCode::NOT_BLOCKED);
  CHECK(code(Encoding::Q4_0, {UINT64_MAX, 3}) == ErrorCode::SIZE_OVERFLOW);
}

TEST_CASE("disagreement: empty weights agree") {
  CHECK(!disagreement({}, Encoding::Q4_0, against({}, {0, 3}, INPUT_BLOCK_MAJOR))->has_value());
  CHECK(!disagreement({}, Encoding::Q4_0, against({}, {3, 0}, ROW_MAJOR))->has_value());
  CHECK((*disagreement(std::vector<uint8_t>(1), Encoding::Q4_0, against({}, {0, 3}, ROW_MAJOR)))
            ->total == 0);
}
