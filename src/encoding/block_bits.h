// Which values each bit of a block belongs to, and as what: the element map beside the fields of
// block_anatomy.h. Pictures and documentation of blocks are drawn from it; arithmetic does not use
// it (block_parts.h), and a test holds the two together by flipping every bit of every encoding.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "encoding/encoding.h"

namespace packed {

enum class BitRole : uint8_t {
  FACTOR,   // a float that scales or offsets: d, dmin, m, e
  SCALE,    // the integer scale of a group
  MINIMUM,  // the integer minimum of a group
  CODE,     // the code of one value
  INDEX,    // a codebook index, which stands for several values
  SIGN,     // signs: one value's, or a 7-bit code for eight
  SHIFT,    // whether a group is shifted up or down by an eighth (IQ1)
  DIGITS,   // base-3 digits of several values in one byte (TQ1_0)
  SUM,      // sums kept for dot products; no value depends on them
};

std::string_view nameOf(BitRole role);  // "FACTOR"

// outer x inner units of bits; block_bits.inc says where each stands and which values it belongs
// to.
struct BitRun {
  Encoding encoding;
  std::string_view field;  // its name in block_anatomy.h
  BitRole role;
  uint32_t start, width, significance;
  uint32_t outer, outerBits, outerElements;
  uint32_t inner, innerBits, innerElements;
  uint32_t first, span, stride;
};

// The runs of one block; empty for PLAIN encodings.
std::span<const BitRun> bitRunsOf(Encoding encoding);

// One bit: what it is and whose. The values are first + k * stride, k = 0 .. span - 1.
struct BitMeaning {
  std::string_view field;
  BitRole role;
  uint32_t significance;  // which bit of its number, 0 the lowest
  uint32_t first, span, stride;

  bool concerns(uint32_t element) const {
    return element >= first && (element - first) % stride == 0 && (element - first) / stride < span;
  }
};

// Bit 8b + k is bit k of byte b. Nothing for PLAIN encodings and beyond the block.
std::optional<BitMeaning> bitAt(Encoding encoding, uint32_t bit);

}  // namespace packed
