#include "weights/byte_search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace packed {
namespace {

// Of `kinds` different bytes: few make many places that look right.
std::vector<uint8_t> bytesOf(std::size_t size, uint32_t kinds, uint32_t seed) {
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) {
    seed = seed * 1664525 + 1013904223;
    byte = static_cast<uint8_t>((seed >> 16) % kinds);
  }
  return bytes;
}

uint64_t placeOf(Bytes key, Bytes bytes, uint64_t from) {
  const auto start = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(from, bytes.size()));
  return static_cast<uint64_t>(std::search(start, bytes.end(), key.begin(), key.end()) -
                               bytes.begin());
}

}  // namespace

TEST_CASE("byte search: the first place, as a search place by place has it") {
  for (const std::size_t size : {1u, 15u, 64u, 65u, 200u, 3000u}) {
    for (const uint32_t kinds : {1u, 2u, 5u, 256u}) {
      const std::vector<uint8_t> bytes = bytesOf(size, kinds, 7);
      for (const std::size_t length : {1u, 2u, 4u, 8u, 16u, 33u, 70u}) {
        const std::vector<uint8_t> other = bytesOf(length, kinds, 3);
        for (std::size_t at = 0; at + length <= size; at += 1 + size / 23) {
          const Bytes own = Bytes(bytes).subspan(at, length);
          for (const uint64_t from : {uint64_t{0}, uint64_t{at}, uint64_t{at + 1}, size}) {
            CAPTURE(size);
            CAPTURE(length);
            CAPTURE(from);
            REQUIRE(findBytes(own, bytes, from) == placeOf(own, bytes, from));
            REQUIRE(findBytes(other, bytes, from) == placeOf(other, bytes, from));
          }
        }
      }
    }
  }
}

TEST_CASE("byte search: keys that stand, across the stretches they are searched in") {
  constexpr std::size_t kStretch = 1 << 17;
  std::vector<uint8_t> bytes(3 * kStretch + 5, 1);
  std::vector<std::vector<uint8_t>> keys;
  for (const std::size_t at :
       {std::size_t{0}, kStretch - 7, kStretch - 1 + 40, 2 * kStretch - 4, bytes.size() - 8}) {
    keys.push_back(bytesOf(8, 250, static_cast<uint32_t>(at + 1)));
    std::copy(keys.back().begin(), keys.back().end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  std::vector<Bytes> all(keys.begin(), keys.end());
  const std::vector<uint8_t> nowhere = bytesOf(8, 250, 12345);
  all.insert(all.begin() + 2, nowhere);
  CHECK(countStanding(all, bytes, all.size()) == 5);
  CHECK(countStanding(all, bytes, 2) >= 2);
  CHECK(countStanding({&all[2], 1}, bytes, 1) == 0);
  CHECK(countStanding({}, bytes, 1) == 0);
  CHECK(countStanding(all, {}, 1) == 0);
}

TEST_CASE("byte search: equal sums in any sequence, and not of other bytes with the same total") {
  for (const std::size_t size : {0u, 1u, 17u, 5000u, 100'000u}) {
    std::vector<uint8_t> bytes = bytesOf(size, 256, 9);
    if (!bytes.empty()) bytes.back() = 255;
    std::vector<uint8_t> turned(bytes.rbegin(), bytes.rend());
    CAPTURE(size);
    CHECK(sameByteSums(bytes, turned));
    if (size < 2) continue;
    turned[0] = 254;
    CHECK_FALSE(sameByteSums(bytes, turned));
    turned[1] = static_cast<uint8_t>(turned[1] + 1);
    CHECK_FALSE(sameByteSums(bytes, turned));
  }
  const std::vector<uint8_t> full(70'000, 255);
  CHECK(sameByteSums(full, full));
  CHECK_FALSE(sameByteSums(full, std::vector<uint8_t>(70'001, 255)));
}

}  // namespace packed
