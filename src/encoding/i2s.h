// Ternary weights: every value is -s, 0 or +s for one s.
//
// BITNET_B1_58 keeps a tensor of them in memory, without blocks:
//
//   ceil(n / 4) bytes   value i is bit pair i % 4 of byte i / 4, low bits first; codes 0, 1, 2 are
//                       -1, 0, +1, code 3 has no meaning; places after the last value hold code 1
//   4 bytes             s, f32
//
// I2_S is what BitNet files store under type number 36: the same codes and then s, with up to 28
// bytes of padding behind it, but in one of three element orders. The file does not say which, and
// each reads as plausible weights in the others, so the caller states it and nothing here guesses:
//
//   GROUP_128    128 values in 32 bytes: byte j holds values j, j + 32, j + 64, j + 96 of the
//                group, the first in the highest bits (BitNet.cpp on x86)
//   GROUP_64     64 values in 16 bytes: byte j holds values j, j + 16, j + 32, j + 48, likewise
//                (BitNet.cpp on ARM)
//   SEQUENTIAL   four consecutive values in a byte, low bits first: the order of BITNET_B1_58
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace packed {

enum class TernaryEncoding : uint8_t { TQ1_0, TQ2_0, BITNET_B1_58 };

std::string_view nameOf(TernaryEncoding encoding);
// UNKNOWN_ENCODING when there is none of this name.
Result<TernaryEncoding> ternaryEncodingByName(std::string_view name);

// Bytes of `count` values. NOT_BLOCK_DIVISIBLE for TQ1_0 and TQ2_0 unless 256 divides the count.
Result<uint64_t> ternaryBytesOf(TernaryEncoding encoding, uint64_t count);

// Writes `values` and returns s. What is written decodes to exactly these values, or nothing is
// written: ELEMENT_NOT_FINITE or INVALID_ARGUMENT, whose message names the first value that is none
// of -s, 0, +s (s being the first magnitude that is not zero); INVALID_ARGUMENT for an s that TQ1_0
// or TQ2_0, which store it in fp16, would round; NOT_BLOCK_DIVISIBLE as ternaryBytesOf;
// SIZE_MISMATCH.
Result<float> encodeTernary(TernaryEncoding encoding, std::span<const float> values,
                            MutableBytes to);

// The values of `bytes`, which must be exactly theirs: SIZE_MISMATCH, NOT_BLOCK_DIVISIBLE as
// ternaryBytesOf. INVALID_CODE where a code is 3: the message names the element, `offset` is the
// byte in which it stands. ELEMENT_NOT_FINITE with the scale's offset where it is NaN or infinite.
// codec.h decodes TQ1_0 and TQ2_0 without these last two checks, as files are read.
Status decodeTernary(TernaryEncoding encoding, Bytes bytes, std::span<float> to);

enum class I2sOrder : uint8_t { GROUP_128, GROUP_64, SEQUENTIAL };

// "group128", "group64", "sequential"; ORDER_REQUIRED for anything else, the empty text included.
Result<I2sOrder> i2sOrderByName(std::string_view name);

// I2_S as a file stores it to BITNET_B1_58 (ternaryBytesOf bytes at `to`); returns s.
// ORDER_REQUIRED without an order, INVALID_CODE for code 3 (the message names the element, `offset`
// is the byte of `stored` in which it stands), ELEMENT_NOT_FINITE for a scale that is NaN or
// infinite, NOT_BLOCK_DIVISIBLE when the count is not whole groups, SIZE_MISMATCH. Nothing is
// written where it is refused, except INVALID_CODE: then `to` is set to zero.
Result<float> importI2S(Bytes stored, uint64_t count, std::optional<I2sOrder> order,
                        MutableBytes to);

}  // namespace packed
