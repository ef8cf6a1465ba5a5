// A tensor count that is one too low leaves a tensor info behind the header, where padding belongs.
#pragma once

#include <optional>

#include "gguf/finding.h"
#include "gguf/gguf_types.h"

namespace packed {

// So many bytes after the last tensor info hold any tensor info: 8 + 64 + 4 + 4 * 8 + 4 + 8.
inline constexpr std::size_t kUndeclaredTensorBytes = 120;

// Whether `after`, the bytes behind the last tensor info, read as one more: a name of printable
// characters, sensible dimensions, a known type, an aligned offset.
std::optional<Finding> undeclaredTensor(Bytes after, const GgufHeader& header);

}  // namespace packed
