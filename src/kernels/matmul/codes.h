// Codes<encoding>: how the codes, scales and minimums of one block are brought into vectors; what a
// kernel needs to know of an encoding, and all it knows. The byte maps are those of src/encoding.
//
//   codes<v>(block, chunk)   sixteen consecutive values' codes, as bytes
//
// A block is kChunks chunks of kVectors such vectors, so that what vectors have in common (the byte
// that holds the low and the high nibble) is read once. Vector v of a chunk holds the values from
// firstValue(chunk) + v * kStride on.
//
// Codes are unsigned, 0..kMax <= 127, with the zero point kZero still in them (value code - kZero);
// or, where kSigned, int8 with none. Integer scales and minimums are int16 in groups of kGroup
// values.
#pragma once

#include <array>

#include "encoding/block_parts.h"
#include "encoding/iq4.h"
#include "kernels/simd128.h"

#if defined(PACKED_SIMD)

namespace packed {

template <Encoding encoding>
struct Codes;

// Defaults: one scale per block, an fp16 `d` at its start.
struct CodesOfBlock {
  static constexpr int kChunks = 1;
  static constexpr int kStride = 16;
  static constexpr int kZero = 0;
  static constexpr int kMax = 15;
  static constexpr bool kSigned = false;
  static constexpr bool kScaled = false;   // integer scales per group
  static constexpr bool kMinimum = false;  // a minimum per group, and dmin
  static constexpr int kMaxScale = 1;
  // Whether scale * code or, where there is a zero point, scale * (zero point - code) fits a signed
  // byte.
  static constexpr bool kScaledFitsByte = false;
  static constexpr int kFloatScales = 1;  // more: `floatScales` instead of `d`
  // 1: `d` is an fp16 at the start; 2: followed by the fp16 that is added to all values. See
  // quickHalves.
  static constexpr int kQuickHalves = 0;
  // Whether fractionSums or powerSums multiply by codes that are never taken out of their bytes.
  static constexpr bool kDigits = false;
};

template <int at>
PACKED_INLINE Vector halvesAt(const uint8_t* const rows[4]) {
  return fourHalves(rows[0] + at, rows[1] + at, rows[2] + at, rows[3] + at);
}

// First value of a chunk. Chunks of stride 32 take the halves of 32 values in turn.
template <class Format>
constexpr int firstValue(int chunk) {
  return Format::kStride == 16 ? chunk * 16 * Format::kVectors
                               : (chunk >> 1) * 32 * Format::kVectors + (chunk & 1) * 16;
}

template <class Format>
constexpr int kElements = Format::kChunks * Format::kVectors * 16;

// Values that share an integer scale: 16 where chunks take halves of 32 in turn, else 32.
template <class Format>
constexpr int kGroup = !Format::kScaled        ? kElements<Format>
                       : Format::kStride == 32 ? 16
                                               : 32;

template <class Format>
constexpr int kGroups = kElements<Format> / kGroup<Format>;

}  // namespace packed

#include "kernels/matmul/codes_32.h"
#include "kernels/matmul/codes_k.h"
#include "kernels/matmul/codes_ternary.h"
#include "kernels/matmul/codes_tq1_0.h"

namespace packed {

template <Encoding encoding>
concept HasCodes = requires { Codes<encoding>::kVectors; };

}  // namespace packed

#endif
