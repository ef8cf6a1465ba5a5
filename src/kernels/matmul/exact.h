// The vector kernels of Activation::F32: four rows of one block are decoded to f32, then multiplied with one
// column after the other in the four lanes that matmul.h prescribes; a vector is those four lanes.
#pragma once

#include "kernels/matmul/codes.h"
#include "kernels/matmul/matmul.h"

#if defined(PACKED_SIMD)

namespace packed {

struct ExactKernel {
  Encoding encoding;
  // Four rows' values of one block, row after row. Null: decodeBlocks.
  void (*decode)(const uint8_t* const rows[4], float* to) = nullptr;
};

uint64_t exactWorkspace(const MatmulShape& shape);
void runExact(const ExactKernel& kernel, const MatmulCall& call);

// Sixteen codes, times scale, minus minimum.
template <class Format>
PACKED_INLINE void storeValues(Vector codes, Vector scale, Vector minimum, float* to) {
  Vector low, high;
  if constexpr (Format::kSigned) {
    low = wasm_i16x8_extend_low_i8x16(codes);
    high = wasm_i16x8_extend_high_i8x16(codes);
  } else {
    low = wasm_u16x8_extend_low_u8x16(codes);
    high = wasm_u16x8_extend_high_u8x16(codes);
  }
  if constexpr (Format::kZero != 0) {
    low = wasm_i16x8_sub(low, splat16(Format::kZero));
    high = wasm_i16x8_sub(high, splat16(Format::kZero));
  }
  const Vector quads[4] = {wasm_i32x4_extend_low_i16x8(low), wasm_i32x4_extend_high_i16x8(low),
                           wasm_i32x4_extend_low_i16x8(high), wasm_i32x4_extend_high_i16x8(high)};
  PACKED_UNROLL
  for (int k = 0; k < 4; ++k) {
    Vector value = wasm_f32x4_mul(scale, wasm_f32x4_convert_i32x4(quads[k]));
    if constexpr (Format::kMinimum) value = wasm_f32x4_sub(value, minimum);
    store(to + 4 * k, value);
  }
}

template <class Format, int v = 0>
PACKED_INLINE void storeChunk(const uint8_t* block, int chunk, const float* scales,
                              const float* minimums, float* to) {
  const int value = firstValue<Format>(chunk) + v * Format::kStride;
  const int g = value / kGroup<Format>;
  storeValues<Format>(Format::template codes<v>(block, chunk), loadSplat32(scales + g),
                      loadSplat32(minimums + g), to + value);
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
    to += kElements<Format>;
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
