// The vector kernels of Activation::F32: four rows of one block are decoded to f32, then multiplied
// with one column after the other in the four lanes that matmul.h prescribes; a vector is those
// four lanes.
#pragma once

#include "kernels/matmul/codes.h"
#include "kernels/matmul/matmul.h"

#if defined(PACKED_SIMD)

namespace packed {

struct ExactKernel {
  Encoding encoding;
  // Four rows' values of one block, a vector of each row in turn. Null: decodeBlocks, row after
  // row.
  void (*decode)(const uint8_t* const rows[4], float* to) = nullptr;
};

uint64_t exactWorkspace(const MatmulShape& shape);
void runExact(const ExactKernel& kernel, const MatmulCall& call);

// Sixteen codes, times scale, minus minimum; a vector of them every sixteen floats.
template <class Format>
PACKED_INLINE void storeValues(Vector codes, Vector scale, Vector minimum, float* to) {
  // Bytes under the exponent of 2^23 are floats already: 2^23 + code. Taking off 2^23 and the zero
  // point is exact and cheaper than widening and converting.
  constexpr int kOffset = Format::kSigned ? 128 : Format::kZero;
  const Vector bytes = Format::kSigned ? bitXor(codes, splat8(0x80)) : codes;
  const Vector none = zero(), exponent = splat16(0x4b00);
  const Vector low =
      wasm_i8x16_shuffle(bytes, none, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const Vector high =
      wasm_i8x16_shuffle(bytes, none, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const Vector offset = splat32(0x4b000000 + kOffset);
  const Vector quads[4] = {wasm_i16x8_shuffle(low, exponent, 0, 8, 1, 9, 2, 10, 3, 11),
                           wasm_i16x8_shuffle(low, exponent, 4, 12, 5, 13, 6, 14, 7, 15),
                           wasm_i16x8_shuffle(high, exponent, 0, 8, 1, 9, 2, 10, 3, 11),
                           wasm_i16x8_shuffle(high, exponent, 4, 12, 5, 13, 6, 14, 7, 15)};
  PACKED_UNROLL
  for (int k = 0; k < 4; ++k) {
    Vector value = wasm_f32x4_mul(scale, wasm_f32x4_sub(quads[k], offset));
    if constexpr (Format::kMinimum) value = wasm_f32x4_sub(value, minimum);
    store(to + 16 * k, value);
  }
}

template <class Format, int v = 0>
PACKED_INLINE void storeChunk(const uint8_t* block, int chunk, const float* scales,
                              const float* minimums, float* to) {
  const int value = firstValue<Format>(chunk) + v * Format::kStride;
  const int g = value / kGroup<Format>;
  storeValues<Format>(Format::template codes<v>(block, chunk), loadSplat32(scales + g),
                      loadSplat32(minimums + g), to + 4 * value);
  if constexpr (v + 1 < Format::kVectors) {
    storeChunk<Format, v + 1>(block, chunk, scales, minimums, to);
  }
}

// Eight or sixteen int16 numbers as f32, times a factor.
template <int groups>
PACKED_INLINE void storeScaled(const Vector numbers[2], Vector factor, float* to) {
  PACKED_UNROLL
  for (int part = 0; part < groups / 8; ++part) {
    const Vector low = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(numbers[part]));
    const Vector high = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(numbers[part]));
    store(to + 8 * part, wasm_f32x4_mul(factor, low));
    store(to + 8 * part + 4, wasm_f32x4_mul(factor, high));
  }
}

template <class Format>
PACKED_NOINLINE void decodeFour(const uint8_t* const rows[4], float* to) {
  alignas(16) float d[4], dmin[4] = {}, scales[16], minimums[16] = {};
  store(d, Format::d(rows));
  if constexpr (Format::kMinimum) store(dmin, Format::dmin(rows));
  PACKED_ROLLED
  for (int r = 0; r < 4; ++r) {
    if constexpr (Format::kScaled) {
      Vector numbers[2];
      Format::scales(rows[r], numbers);
      storeScaled<kGroups<Format>>(numbers, loadSplat32(d + r), scales);
      if constexpr (Format::kMinimum) {
        Format::mins(rows[r], numbers);
        storeScaled<kGroups<Format>>(numbers, loadSplat32(dmin + r), minimums);
      }
    } else {
      scales[0] = d[r];
      minimums[0] = dmin[r];
    }
    PACKED_ROLLED
    for (int chunk = 0; chunk < Format::kChunks; ++chunk) {
      storeChunk<Format>(rows[r], chunk, scales, minimums, to);
    }
    to += 4;
  }
}

template <Encoding encoding>
ExactKernel exactKernel() {
  if constexpr (HasCodes<encoding>) {
    return {encoding, &decodeFour<Codes<encoding>>};
  } else {
    return {encoding, nullptr};
  }
}

}  // namespace packed

#endif
