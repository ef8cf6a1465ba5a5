// The label of a shape: which of its numbers is called `in`.
//
// GGUF writes dimensions in ne order, fastest-varying first: ne = [in, out, experts, ...].
// Everything here speaks [..., experts, out, in]. The bytes are the same; only the label differs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace packed {

// ne order to [..., out, in], and back: the same reversal.
inline std::vector<uint64_t> reversedLabel(std::span<const uint64_t> dimensions) {
  return {dimensions.rbegin(), dimensions.rend()};
}

// How a caller wants the label of a loaded tensor (gguf/weight_form.h).
enum class ShapeOrientation : uint8_t {
  AS_STORED,  // the ne label of the file, untouched
  OUT_IN,     // [..., out, in]
};

}  // namespace packed
