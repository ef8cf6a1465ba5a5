// Workspace: scratch memory that grows to the largest call and is then reused, so that the second
// matmul with the same shapes allocates nothing.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "base/checked.h"
#include "base/result.h"

namespace packed {

class Workspace {
 public:
  // More than `limit` bytes are refused as if the machine had no more.
  explicit Workspace(uint64_t limit = UINT64_MAX) : limit_(limit) {}
  ~Workspace() { std::free(start_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  uint64_t size() const { return size_; }

  // At least `size` bytes, 16-aligned, whose contents are undefined. OUT_OF_MEMORY; what was
  // reserved before stays.
  Result<uint8_t*> reserve(uint64_t size) {
    if (size <= size_) return start_;
    const uint64_t rounded = (size + 63) / 64 * 64;
    void* grown = size <= limit_ && rounded >= size && fitsAddressSpace(rounded)
                      ? std::aligned_alloc(64, static_cast<std::size_t>(rounded))
                      : nullptr;
    if (!grown) {
      return refuse(ErrorCode::OUT_OF_MEMORY, "no memory for ", size,
                    " bytes of scratch; multiply fewer columns at a time");
    }
    std::free(start_);
    start_ = static_cast<uint8_t*>(grown);
    size_ = rounded;
    return start_;
  }

 private:
  uint8_t* start_ = nullptr;
  uint64_t size_ = 0;
  uint64_t limit_;
};

}  // namespace packed
