// Bytes: a read-only window of memory. ByteCursor: reads little-endian fields from it in sequence
// and cannot overrun: a read past the end yields zero, changes nothing and is remembered.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/bits.h"

namespace packed {

using Bytes = std::span<const uint8_t>;
using MutableBytes = std::span<uint8_t>;

class ByteCursor {
 public:
  explicit ByteCursor(Bytes bytes, uint64_t position = 0) : bytes_(bytes), position_(position) {}

  uint64_t position() const { return position_; }
  uint64_t remaining() const { return position_ <= bytes_.size() ? bytes_.size() - position_ : 0; }
  // False once any read has asked for more than remained. `wanted` then says how many bytes,
  // counted from the start of the window, the first failed read needed.
  bool ok() const { return wanted_ == 0; }
  uint64_t wanted() const { return wanted_; }

  template <class T>
  T read() {
    if (!claim(sizeof(T))) return T{};
    const T value = loadLE<T>(bytes_.data() + position_);
    position_ += sizeof(T);
    return value;
  }

  // `size` bytes, not copied; empty when fewer remain.
  std::string_view text(uint64_t size) {
    if (!claim(size)) return {};
    const auto* start = reinterpret_cast<const char*>(bytes_.data() + position_);
    position_ += size;
    return {start, static_cast<std::size_t>(size)};
  }

  void skip(uint64_t size) {
    if (claim(size)) position_ += size;
  }

 private:
  bool claim(uint64_t size) {
    if (!ok()) return false;
    if (size <= remaining()) return true;
    const uint64_t end = position_ + size;
    wanted_ = end < position_ ? UINT64_MAX : end;
    return false;
  }

  Bytes bytes_;
  uint64_t position_;
  uint64_t wanted_ = 0;
};

}  // namespace packed
