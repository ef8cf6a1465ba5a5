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

  // At least `size` bytes, 64-aligned, whose contents are undefined: what was there before is freed
  // first, so that more may find room in its place. OUT_OF_MEMORY; nothing is reserved then.
  Result<uint8_t*> reserve(uint64_t size) {
    if (size <= size_) return start_;
    std::free(start_);
    start_ = size <= limit_ ? allocateLines(size) : nullptr;
    size_ = start_ ? size : 0;
    if (start_) return start_;
    return refuse(ErrorCode::OUT_OF_MEMORY, "no memory for ", size,
                  " bytes of scratch; multiply fewer columns at a time");
  }

 private:
  uint8_t* start_ = nullptr;
  uint64_t size_ = 0;
  uint64_t limit_;
};

}  // namespace packed
