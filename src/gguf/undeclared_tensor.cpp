#include "gguf/undeclared_tensor.h"

#include <algorithm>
#include <string_view>

#include "gguf/byte_order.h"
#include "gguf/limits.h"
#include "gguf/utf8.h"

namespace packed {

std::optional<Finding> undeclaredTensor(Bytes after, const GgufHeader& header) {
  uint64_t at = 0;
  bool complete = true;
  const auto read = [&]<class T>(T) -> T {
    complete = complete && at + sizeof(T) <= after.size();
    if (!complete) return T{};
    at += sizeof(T);
    return loadField<T>(after.data() + at - sizeof(T), header.littleEndian);
  };
  const uint64_t length = read(uint64_t{});
  if (!complete || length == 0 || length > kMaxTensorNameBytes || at + length > after.size()) {
    return std::nullopt;
  }
  const std::string_view name(reinterpret_cast<const char*>(after.data() + at),
                              static_cast<std::size_t>(length));
  at += length;
  if (!std::ranges::all_of(name, [](char c) { return c > 0x20 && c < 0x7f; })) return std::nullopt;
  const uint32_t dimensions = read(uint32_t{});
  if (dimensions == 0 || dimensions > kMaxDimensions) return std::nullopt;
  for (uint32_t i = 0; i < dimensions; ++i) {
    const uint64_t dimension = read(uint64_t{});
    if (dimension == 0 || dimension >> 40 != 0) return std::nullopt;
  }
  const uint32_t type = read(uint32_t{});
  const uint64_t offset = read(uint64_t{});
  if (!complete || !encodingByGgmlType(type) || offset % header.alignment != 0) return std::nullopt;
  return finding(Rule::UNDECLARED_TENSOR,
                 "behind the last declared tensor info stands one more, of ", quoted(name),
                 ": the tensor count (", header.declaredTensors,
                 ") is too low, so all data may be read from the wrong place; write the file again")
      .at(header.endOffset, at);
}

}  // namespace packed
