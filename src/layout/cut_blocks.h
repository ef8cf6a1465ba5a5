// CutBlocks: whole blocks out of bytes that arrive in windows of any size. The part of a block that
// a window ends in is kept until the next one brings its rest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"

namespace packed {

class CutBlocks {
 public:
  static constexpr uint32_t kMaxBlockBytes = 512;  // no block of any encoding is longer

  explicit CutBlocks(uint32_t blockBytes) : blockBytes_(blockBytes) {}

  // Bytes kept of a block that has not arrived to its end.
  uint32_t begun() const { return begun_; }

  // whole(blocks, count) for the blocks that the window completes, in their sequence.
  template <class Whole>
  void accept(Bytes window, Whole whole) {
    if (window.empty()) return;
    if (begun_ != 0) {
      const auto rest = std::min<std::size_t>(blockBytes_ - begun_, window.size());
      keep(window.first(rest));
      window = window.subspan(rest);
      if (begun_ < blockBytes_) return;
      begun_ = 0;
      whole(partial_, uint64_t{1});
    }
    const std::size_t count = window.size() / blockBytes_;
    if (count > 0) whole(window.data(), uint64_t{count});
    keep(window.subspan(count * blockBytes_));
  }

 private:
  void keep(Bytes part) {
    if (!part.empty()) std::memcpy(partial_ + begun_, part.data(), part.size());
    begun_ += static_cast<uint32_t>(part.size());
  }

  uint32_t blockBytes_;
  uint32_t begun_ = 0;
  uint8_t partial_[kMaxBlockBytes] = {};
};

}  // namespace packed
