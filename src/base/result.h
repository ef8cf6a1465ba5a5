// Result<T>: a value, or the Error that says why there is none.
//
//   Result<BlockGrid> grid = BlockGrid::of(out, inputDim, elements);
//   if (!grid) return grid.error();
//   use(grid->blocksPerRow);
//
// PACKED_TRY(name, expression) is the same three lines as one: it declares `name` with the value,
// or returns the error from the enclosing function. Asking a Result for what it does not hold is a
// programmer's error and asserts.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "base/error.h"

namespace packed {

// An Error on its way out of a function: one pointer, whatever the Result that carries it.
class Failure {
 public:
  Failure(Error error);
  Failure(Failure&&) noexcept = default;
  Failure& operator=(Failure&&) noexcept = default;
  Failure(const Failure& other);
  Failure& operator=(const Failure& other);
  ~Failure();

  Error& error() { return *error_; }
  const Error& error() const { return *error_; }

 private:
  std::unique_ptr<Error> error_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : held_(std::in_place_index<1>, std::move(failure)) {}
  Result(Error error) : Result(Failure(std::move(error))) {}

  bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return PACKED_ASSERT(ok()), *std::get_if<0>(&held_); }
  const T& value() const& { return PACKED_ASSERT(ok()), *std::get_if<0>(&held_); }
  T&& value() && { return PACKED_ASSERT(ok()), std::move(*std::get_if<0>(&held_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& { return PACKED_ASSERT(!ok()), std::get_if<1>(&held_)->error(); }
  Error&& error() && { return PACKED_ASSERT(!ok()), std::move(std::get_if<1>(&held_)->error()); }

  // The error as a function hands it on to its own caller.
  Failure&& failure() && { return PACKED_ASSERT(!ok()), std::move(*std::get_if<1>(&held_)); }

 private:
  std::variant<T, Failure> held_;
};

// What a function returns that has nothing to say but "done".
struct Done {};
using Status = Result<Done>;

}  // namespace packed

#define PACKED_JOIN_(a, b) a##b
#define PACKED_JOIN(a, b) PACKED_JOIN_(a, b)
#define PACKED_TRY_(held, name, ...)           \
  auto held = (__VA_ARGS__);                   \
  if (!held) return std::move(held).failure(); \
  auto name = std::move(held).value()
#define PACKED_TRY(name, ...) PACKED_TRY_(PACKED_JOIN(held_, __LINE__), name, __VA_ARGS__)
// For a Status: leaves the enclosing function when it is an error.
#define PACKED_CHECK_(held, ...) \
  if (auto held = (__VA_ARGS__); !held) return std::move(held).failure()
#define PACKED_CHECK(...) PACKED_CHECK_(PACKED_JOIN(held_, __LINE__), __VA_ARGS__)
