#include "encoding/scale_search.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <vector>

#include "encoding/iq4.h"

namespace packed {
namespace {

// The same search, except that it never takes values to be inside the levels.
template <class Levels>
struct Clamping : ScaleSearch<Levels> {
  constexpr explicit Clamping(const ScaleSearch<Levels>& search) : ScaleSearch<Levels>(search) {}
  constexpr float reachInside(int, int) const { return 0; }
};

// How many blocks were looked at that the search took to be inside under none, some, or all of its
// candidates.
struct Seen {
  int none = 0;
  int some = 0;
  int all = 0;
};

template <const auto& search>
float reachOf(int first) {
  return search.reachInside(first, std::min(first == 0 ? 8 : 12, search.tried - first));
}

template <const auto& search, const auto& clamping, int count>
void requireSame(const float* values, const float* weights, Seen& seen) {
  const ScaleFit free = fitScale<search, count>(values, weights);
  const ScaleFit clamped = fitScale<clamping, count>(values, weights);
  REQUIRE(std::memcmp(&free, &clamped, sizeof free) == 0);
  const Extreme extreme = extremeOf(values, count);
  int inside = 0, parts = 0;
  for (int first = 0; first < search.tried; first += first == 0 ? 8 : 12, ++parts) {
    const float reach = reachOf<search>(first);
    inside += reach > 0 && extreme.opposite[0] <= reach * std::fabs(extreme.value[0]);
  }
  ++(inside == 0 ? seen.none : inside == parts ? seen.all : seen.some);
}

template <const auto& search, const auto& clamping, int count>
Seen checkSearch() {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  Seen seen;
  std::vector<float> values(count), weights(count);
  const auto check = [&] {
    requireSame<search, clamping, count>(values.data(), weights.data(), seen);
  };
  for (int round = 0; round < 4000; ++round) {
    const float size = std::ldexp(1.0f, int(random() % 40) - 20);
    const float lean = round % 3 == 0 ? 0 : float(round % 7) / 3;
    for (float& value : values) value = (normal(random) + lean) * size;
    for (float& weight : weights) weight = round % 2 == 0 ? 1 : float(random() % 100);
    check();
  }
  // The other sign reaches exactly as far as is taken to be inside, and a hair less and more.
  std::fill(weights.begin(), weights.end(), 1.0f);
  for (int first = 0; first < search.tried; first += first == 0 ? 8 : 12) {
    const float edge = reachOf<search>(first);
    for (const float reach : {edge, std::nextafter(edge, 0.0f), std::nextafter(edge, 2.0f)}) {
      for (const float sign : {1.0f, -1.0f}) {
        for (const float size : {1.0f, 0.3f, 1e-3f, 1e5f, 1e-20f, 1e-38f}) {
          for (float& value : values) value = sign * size * (2 * float(random() % 1000) / 999 - 1);
          for (float& value : values) value = std::max(value * sign, -reach * size) * sign;
          values[random() % (count / 2)] = sign * size;
          values[count / 2 + random() % (count / 2)] = -sign * reach * size;
          check();
        }
      }
    }
  }
  // What has no scale, one value, two signs of one size, and values on the borders of levels.
  std::fill(values.begin(), values.end(), 0.0f);
  check();
  values[3] = -0.7f;
  check();
  values[5] = 0.7f;
  check();
  for (std::size_t i = 0; i < count; ++i) values[i] = float(int(i % 33) - 16) * 0.5f;
  check();
  return seen;
}

// The searches of Q4_0, Q5_0, Q8_0, Q2_0, Q3_K, Q6_K and IQ4, and some that no encoding has.
constexpr ScaleSearch kQ4(EvenLevels{-8, 7}, 9, 0.1f, false);
constexpr ScaleSearch kQ5(EvenLevels{-16, 15}, 9, 0.1f, false);
constexpr ScaleSearch kQ8(EvenLevels{-127, 127}, 9, 0.25f, false);
constexpr ScaleSearch kQ2(EvenLevels{-1, 2}, 14, 0.065f, true);
constexpr ScaleSearch kQ3(EvenLevels{-4, 3}, 9, 0.18f, true);
constexpr ScaleSearch kQ6(EvenLevels{-32, 31}, 9, 1.4f, true);
constexpr ScaleSearch kIq4(Iq4Levels{}, 9, 5, true);
constexpr ScaleSearch kWide(EvenLevels{-100, 3}, 5, 0.02f, true);
constexpr ScaleSearch kEven(EvenLevels{-4, 4}, 3, 0.05f, true);

constexpr Clamping kQ4Clamping(kQ4);
constexpr Clamping kQ5Clamping(kQ5);
constexpr Clamping kQ8Clamping(kQ8);
constexpr Clamping kQ2Clamping(kQ2);
constexpr Clamping kQ3Clamping(kQ3);
constexpr Clamping kQ6Clamping(kQ6);
constexpr Clamping kIq4Clamping(kIq4);
constexpr Clamping kWideClamping(kWide);
constexpr Clamping kEvenClamping(kEven);

}  // namespace

TEST_CASE("scale search: without clamping where no value leaves the levels, the fit is the same") {
  Seen total;
  const auto add = [&](Seen seen) {
    total.none += seen.none;
    total.some += seen.some;
    total.all += seen.all;
  };
  add(checkSearch<kQ4, kQ4Clamping, 32>());
  add(checkSearch<kQ5, kQ5Clamping, 32>());
  add(checkSearch<kQ8, kQ8Clamping, 32>());
  add(checkSearch<kQ2, kQ2Clamping, 64>());
  add(checkSearch<kQ3, kQ3Clamping, 16>());
  add(checkSearch<kQ6, kQ6Clamping, 16>());
  add(checkSearch<kIq4, kIq4Clamping, 32>());
  add(checkSearch<kWide, kWideClamping, 32>());
  add(checkSearch<kEven, kEvenClamping, 32>());
  CHECK(total.none > 1000);
  CHECK(total.some > 1000);
  CHECK(total.all > 1000);
}

}  // namespace packed
