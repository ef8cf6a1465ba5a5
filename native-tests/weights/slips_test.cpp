// diagnose where bytes slipped in or got lost on the way, and all behind them is displaced.
#include <doctest/doctest.h>

#include <cstddef>

#include "support/mistakes.h"
#include "support/value_mistakes.h"

using namespace packed;
using mistakes::inOrder;
using mistakes::kOrders;
using mistakes::Weight;
using Buffer = std::vector<uint8_t>;

namespace {

std::ptrdiff_t by(std::size_t count) { return static_cast<std::ptrdiff_t>(count); }

Buffer with(const Buffer& bytes, std::size_t at, const Buffer& more) {
  Buffer to = bytes;
  to.insert(to.begin() + by(at), more.begin(), more.end());
  return to;
}

Buffer without(const Buffer& bytes, std::size_t at, std::size_t count) {
  Buffer to = bytes;
  to.erase(to.begin() + by(at), to.begin() + by(at + count));
  return to;
}

Buffer written(const Buffer& bytes, std::size_t at, std::size_t count) {
  return {bytes.begin() + by(at), bytes.begin() + by(at + count)};
}

std::vector<Weight> weights() {
  std::vector<Weight> all;
  for (const Encoding encoding : mistakes::blockedEncodings()) {
    all.push_back(mistakes::distinct(encoding, {12, 5}));
  }
  for (const Encoding encoding : {Encoding::F32, Encoding::F16, Encoding::BF16, Encoding::F64}) {
    all.push_back(mistakes::values(encoding, 24, 40));
  }
  return all;
}

void isShifted(const Buffer& bytes, const Weight& weight, BlockOrder order,
               const std::string& what) {
  const Diagnosis result = mistakes::diagnosed(bytes, weight, order);
  const std::string label =
      std::string(nameOf(weight.encoding)) + ", " + what + ": " + result.message;
  CHECK_MESSAGE(result.kind == DiagnosisKind::SHIFTED, label);
  CHECK_MESSAGE(result.message.find(what) != std::string::npos, label);
  CHECK_MESSAGE(!result.fix.empty(), label);
}

}  // namespace

TEST_CASE("diagnosis: what was written twice, slipped in or is lost in the middle is shifted") {
  for (const Weight& weight : weights()) {
    for (const BlockOrder order : kOrders) {
      if (!specOf(weight.encoding).blocked() && order != BlockOrder::ROW_MAJOR) continue;
      const Buffer right = inOrder(weight, order);
      const std::size_t at = right.size() / 60 * 21;
      const Buffer junk{1, 200, 3, 77, 5, 91, 13};
      for (const std::size_t count : {std::size_t{7}, std::size_t{61}, right.size() / 6 + 1}) {
        const std::string bytes = std::to_string(count) + " bytes are ";
        Buffer twice = with(right, at, written(right, at - count, count));
        isShifted(twice, weight, order, bytes + "written twice");
        twice.resize(right.size());
        isShifted(twice, weight, order, bytes + "written twice");
        Buffer lost = without(right, at, count);
        isShifted(lost, weight, order, bytes + "lost");
        lost.resize(right.size());
        isShifted(lost, weight, order, bytes + "lost");
      }
      isShifted(with(right, at, junk), weight, order, "7 bytes are too many");
    }
  }
}

TEST_CASE("diagnosis: how far what slipped is counted in what it is a multiple of") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {12, 5});
  const std::size_t block = 18, row = 5 * block;
  const auto twice = [&](std::size_t at, std::size_t count) {
    return with(weight.bytes, at, written(weight.bytes, at - count, count));
  };
  const BlockOrder order = BlockOrder::ROW_MAJOR;
  isShifted(twice(4 * block, block), weight, order, "(right up to block 4, where 1 block is ");
  isShifted(twice(4 * row, 2 * row), weight, order, "(right up to block 20, where 2 rows are ");
  isShifted(twice(400, 1 + row), weight, order, "(right up to byte 400, where 91 bytes are ");
}

TEST_CASE("diagnosis: a byte 13 in front of each byte 10 is text, whatever is cut off besides") {
  for (const Weight& weight : weights()) {
    if (weight.bytes.size() < 4096) continue;
    Buffer text;
    std::size_t returns = 0;
    for (const uint8_t byte : weight.bytes) {
      if (byte == 10) text.push_back(13), ++returns;
      text.push_back(byte);
    }
    REQUIRE(returns > 1);
    const std::string what = "a byte 13 in front of each of ";
    isShifted(text, weight, BlockOrder::ROW_MAJOR, what + std::to_string(returns) + " bytes 10");
    text.resize(weight.bytes.size());
    isShifted(text, weight, BlockOrder::ROW_MAJOR, what);
  }
}

TEST_CASE("diagnosis: a stretch that only changed places, or was overwritten, has not slipped") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {24, 5});
  const Buffer& right = weight.bytes;
  const Buffer chunk = written(right, 500, 300);
  // Moved to the end, moved to the front, copied over what follows, and cut out there as well.
  Buffer copied = right;
  std::copy(chunk.begin(), chunk.end(), copied.begin() + 800);
  const Buffer cut = without(right, 500, 300);
  for (const Buffer& bytes : {with(cut, cut.size(), chunk), with(cut, 18, chunk), copied}) {
    const Diagnosis result = mistakes::diagnosed(bytes, weight, BlockOrder::ROW_MAJOR);
    CHECK_MESSAGE(result.kind == DiagnosisKind::UNDETERMINED, result.message);
  }
}
