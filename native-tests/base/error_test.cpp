#include "base/error.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>
#include <string>

#include "base/result.h"

namespace packed {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return refuse(ErrorCode::INVALID_ARGUMENT, number, " is odd");
  return number / 2;
}

Result<int> quarter(int number) {
  PACKED_TRY(once, half(number));
  PACKED_TRY(twice, half(once));
  return twice;
}

Status isEven(int number) {
  PACKED_CHECK(half(number));
  return Done{};
}

}  // namespace

TEST_CASE("error: every code has a name of its own and a meaning") {
  std::set<std::string_view> names;
#define X(code, meaning)                      \
  CHECK(nameOf(ErrorCode::code) == #code);    \
  CHECK(!meaningOf(ErrorCode::code).empty()); \
  CHECK(names.insert(nameOf(ErrorCode::code)).second);
#include "base/errors.inc"
#undef X
}

TEST_CASE("error: a refusal reads as one expression and carries its facts for programs") {
  const Error error = refuse(ErrorCode::OUT_OF_RANGE, "row ", uint64_t{7}, " of ", 5)
                          .at(96)
                          .in("blk.0.ffn_down.weight")
                          .wanted("below 5", "7");
  CHECK(error.message == "row 7 of 5");
  CHECK(error.offset == 96u);
  CHECK(error.tensor == "blk.0.ffn_down.weight");
  CHECK(error.expected == "below 5");
  CHECK(error.actual == "7");
}

TEST_CASE("error: real numbers read as printf's nine significant digits") {
  std::mt19937_64 random(1);
  const auto check = [](double number) {
    char expected[64];
    std::snprintf(expected, sizeof expected, "%.9g", number);
    if (joined(number) != expected) FAIL_CHECK(joined(number), " is not ", expected);
  };
  for (int k = 0; k < 50'000; ++k) {
    const uint64_t bits = random();
    if (const auto number = std::bit_cast<double>(bits); !std::isnan(number)) check(number);
    const auto narrow = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!std::isnan(narrow)) check(narrow);
    check(static_cast<double>(bits % 2'000'000) / 1000 - 1000);
  }
  for (const double number : {0.0, -0.0, 1e-5, 1e-4, 0.1, 999'999'999.5, 1e9, 5e-324, 1.5e308}) {
    check(number);
  }
  CHECK(joined(std::nan("")) == "nan");
  CHECK(joined(-INFINITY) == "-inf");
}

TEST_CASE("error: text joins strings, characters and numbers of every kind") {
  CHECK(joined("a", 'b', std::string("c"), -1, UINT64_MAX, 0.5) == "abc-1184467440737095516150.5");
}

TEST_CASE("result: holds a value or an error, and PACKED_TRY hands the error on") {
  CHECK(*quarter(12) == 3);
  CHECK(quarter(6).error().message == "3 is odd");
  CHECK(quarter(5).error().code == ErrorCode::INVALID_ARGUMENT);
  CHECK(isEven(4).ok());
  CHECK(!isEven(3).ok());
}

TEST_CASE("result: a value can be moved out") {
  Result<std::string> text = std::string(100, 'x');
  const std::string moved = std::move(text).value();
  CHECK(moved.size() == 100);
}

}  // namespace packed
