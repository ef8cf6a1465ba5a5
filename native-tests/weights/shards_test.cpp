// diagnose where a weight was cut along its input, as tensor-parallel checkpoints are, and put together
// in another way.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "support/mistakes.h"

using namespace packed;
using mistakes::inOrder;
using mistakes::kOrders;
using mistakes::Weight;

namespace {

// The weight with block (o, b) from another place.
template <class From>
Weight arranged(const Weight& weight, From from) {
  Weight to = weight;
  for (uint64_t f = 0; f < weight.grid.out * weight.grid.blocksPerRow; ++f) {
    const BlockAt at = from(f / weight.grid.blocksPerRow, f % weight.grid.blocksPerRow);
    std::copy_n(weight.block(at.o, at.b), weight.blockBytes(),
                to.bytes.begin() + static_cast<std::ptrdiff_t>(f * weight.blockBytes()));
  }
  return to;
}

}  // namespace

TEST_CASE("diagnosis: shards of the input in another sequence are listed as they are found") {
  for (const Encoding encoding : {Encoding::Q4_0, Encoding::Q6_K}) {
    const Weight weight = mistakes::distinct(encoding, {10, 24});
    for (const uint64_t piece : {1u, 2u, 6u}) {
      std::vector<uint64_t> sequence(24 / piece);
      for (std::size_t i = 0; i < sequence.size(); ++i) sequence[i] = i * 7 % sequence.size();
      std::swap(sequence[1], sequence[3]);
      std::swap(sequence[0], sequence[1]);
      const Weight found = arranged(weight, [&](uint64_t o, uint64_t b) {
        return BlockAt{o, sequence[b / piece] * piece + b % piece};
      });
      std::ostringstream list;
      list << ": in each row pieces of " << piece << (piece == 1 ? " block" : " blocks")
           << " stand in the sequence";
      for (const uint64_t number : sequence) list << " " << number;
      for (const BlockOrder order : kOrders) {
        const Diagnosis result = mistakes::diagnosed(inOrder(found, order), weight, order);
        CHECK(result.kind == DiagnosisKind::UNDETERMINED);
        CHECK_MESSAGE(result.message.ends_with(list.str()), result.message);
        CHECK_MESSAGE(result.fix.starts_with("in each row put the pieces of "), result.fix);
      }
    }
  }
}

TEST_CASE(
    "diagnosis: shards of the input that stand one behind the other are to be put row by row") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {10, 24});
  for (const uint64_t piece : {2u, 6u, 12u}) {
    const Weight found = arranged(weight, [&](uint64_t o, uint64_t b) {
      const uint64_t flat = o * 24 + b;
      return BlockAt{flat / piece % 10, flat / (10 * piece) * piece + flat % piece};
    });
    const Diagnosis result = mistakes::diagnosed(found.bytes, weight, BlockOrder::ROW_MAJOR);
    CHECK(result.kind == DiagnosisKind::UNDETERMINED);
    const std::string says =
        "rows are cut into pieces of " + std::to_string(piece) + " blocks, and";
    CHECK_MESSAGE(result.message.find(says) != std::string::npos, result.message);
    CHECK(result.fix.starts_with("put shards of the input together row by row: "));
  }
}

TEST_CASE(
    "diagnosis: columns that are the same in most rows only, or are there twice, are no shards") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {10, 24});
  const auto swapped = [](uint64_t b) { return b < 4 ? 3 - b : b; };
  const Weight most =
      arranged(weight, [&](uint64_t o, uint64_t b) { return BlockAt{o, o == 9 ? b : swapped(b)}; });
  const Weight twice =
      arranged(weight, [](uint64_t o, uint64_t b) { return BlockAt{o, b == 7 ? 6 : b}; });
  for (const Weight& found : {most, twice}) {
    for (const BlockOrder order : kOrders) {
      const Diagnosis result = mistakes::diagnosed(inOrder(found, order), weight, order);
      CHECK_MESSAGE(result.message.ends_with("and no known mistake arranges them so"),
                    result.message);
      CHECK(result.fix.empty());
    }
  }
}

TEST_CASE("diagnosis: of many shards in another sequence the first are listed") {
  const Weight weight = mistakes::distinct(Encoding::Q4_0, {6, 101});
  const Weight found =
      arranged(weight, [](uint64_t o, uint64_t b) { return BlockAt{o, (b * b * b + 3) % 101}; });
  const Diagnosis result = mistakes::diagnosed(found.bytes, weight, BlockOrder::ROW_MAJOR);
  CHECK(result.kind == DiagnosisKind::UNDETERMINED);
  const auto list = result.message.find("pieces of 1 block stand in the sequence 3 4 11 30 ");
  REQUIRE_MESSAGE(list != std::string::npos, result.message);
  CHECK(result.message.ends_with(" .."));
  CHECK(std::ranges::count(result.message.substr(list), ' ') == 8 + 32);
}
