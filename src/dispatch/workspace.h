// Workspace: scratch memory that grows to the largest call and is then reused, so that the second
// matmul with the same shapes allocates nothing.
#pragma once

#include <cstdint>

#include "base/allocate.h"
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

  // At least `size` bytes, 64-aligned, whose contents are undefined. OUT_OF_MEMORY; what was
  // reserved before stays.
  Result<uint8_t*> reserve(uint64_t size) {
    if (size <= size_) return start_;
    uint8_t* grown = size <= limit_ ? allocateLines(size) : nullptr;
    if (!grown) {
      return refuse(ErrorCode::OUT_OF_MEMORY, "no memory for ", size,
                    " bytes of scratch; multiply fewer columns at a time");
    }
    std::free(start_);
    start_ = grown;
    size_ = size;
    return start_;
  }

 private:
  uint8_t* start_ = nullptr;
  uint64_t size_ = 0;
  uint64_t limit_;
};

}  // namespace packed
