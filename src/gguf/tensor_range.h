// Where the bytes of a tensor are, or why that cannot be known.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "gguf/gguf_types.h"

namespace packed {

struct ByteRange {
  uint64_t offset = 0;
  uint64_t length = 0;

  uint64_t end() const { return offset + length; }
  bool operator==(const ByteRange&) const = default;
};

// Bytes of the tensor: ne[1] * ne[2] * ne[3] * (ne[0] / elements) * bytes, every product checked.
// MALFORMED for a dimension count or dimension that cannot be, SIZE_OVERFLOW, UNKNOWN_ENCODING,
// NOT_BLOCK_DIVISIBLE; each names the tensor and the offset of the field that is at fault.
Result<uint64_t> byteLengthOf(const TensorInfo& info);

// The absolute range of the tensor in a file of `totalSize` bytes, of which all exist: otherwise
// TRUNCATED, MALFORMED for an offset that wraps around 64 bits, or the reason of byteLengthOf.
Result<ByteRange> tensorRange(const TensorInfo& info, uint64_t totalSize);

// How many bytes are stored for a tensor, whatever its type: up to the next tensor or the end of
// the file. All there is to say about tensors of unknown types.
class StoredRegions {
 public:
  StoredRegions(const GgufHeader& header, uint64_t totalSize);

  // 0 when the tensor starts beyond the file.
  uint64_t lengthOf(const TensorInfo& info) const;

 private:
  std::vector<uint64_t> starts_;  // of all tensors and the end of the file, ascending
};

// "ne = [in 4, out 3], rows x columns = 3 x 4": both labels, always, since one alone is ambiguous.
std::string describeShape(const TensorInfo& info);

}  // namespace packed
