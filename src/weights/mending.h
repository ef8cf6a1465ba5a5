// The calls that mend a mistake, as text: what a converter's author pastes.
#pragma once

#include <string>

#include "weights/hypothesis.h"

namespace packed {

// pw.pack(bytes, { encoding: 'Q4_0', out: 5, inputDim: 96, order: 'ROW_MAJOR' })
std::string packCall(const Observation& seen, BlockOrder order, std::string_view bytes = "bytes");

// The call that turns bytes which are in `is` into the claimed order.
std::string relayoutCall(const Observation& seen, BlockOrder is);

// "1 block", "3 blocks".
std::string counted(uint64_t count, std::string_view noun);

// Where nothing can be done to the bytes.
inline constexpr std::string_view kCheckBothSides =
    "check that both sides mean the same tensor, the same encoding and the same source values";
// Most of it is right, so it is the same weight.
inline constexpr std::string_view kCheckTheWriter =
    "most of it is right: look at what wrote the rest, of which disagreement() names the first";

// Where one byte stands again and again.
inline constexpr std::string_view kFinishWriting =
    "write the rest, and check that writing finished";

// Of so many: "is" or "are".
std::string_view are(uint64_t count);

}  // namespace packed
