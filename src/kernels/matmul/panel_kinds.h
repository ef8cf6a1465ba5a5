// How a panel keeps codes and scales: what gemm.h calls wide, and bytes.
#pragma once

#include "kernels/matmul/dots.h"
#include "kernels/matmul/gemm.h"

#if defined(PACKED_SIMD)

namespace packed {

// Numbers of four rows' groups, as pairs of groups per 32-bit lane, rows in lanes.
template <int groups>
PACKED_NOINLINE inline void pairsInLanes(const Vector (*numbers)[2], Vector (*to)[2], int half) {
  PACKED_UNROLL
  for (int part = 0; part < groups / 8; ++part) {
    Vector rows[4] = {numbers[0][part], numbers[1][part], numbers[2][part], numbers[3][part]};
    exchangeLanes(rows);
    PACKED_UNROLL
    for (int pair = 0; pair < 4; ++pair) to[4 * part + pair][half] = rows[pair];
  }
}

// Each group's number twice per 32-bit lane, rows in lanes: to[group].
template <int groups>
PACKED_NOINLINE inline void groupsInLanes(const Vector (*numbers)[2], Vector* to, int step) {
  PACKED_UNROLL
  for (int part = 0; part < groups / 8; ++part) {
    Vector low[4], high[4];
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      const Vector n = numbers[r][part];
      low[r] = wasm_i16x8_shuffle(n, n, 0, 8, 1, 9, 2, 10, 3, 11);
      high[r] = wasm_i16x8_shuffle(n, n, 4, 12, 5, 13, 6, 14, 7, 15);
    }
    exchangeLanes(low);
    exchangeLanes(high);
    PACKED_UNROLL
    for (int g = 0; g < 4; ++g) {
      to[(8 * part + g) * step] = low[g];
      to[(8 * part + 4 + g) * step] = high[g];
    }
  }
}

// For the wide multiplication. Of both kinds one is made for each panel.
struct WidePanel {
  static constexpr int kVectorsPerQuad = 4;

  template <class Format>
  static PACKED_INLINE WidePanel of(const PanelShape&) {
    return {};
  }

  template <class Format>
  PACKED_INLINE void keepScales(const Vector (*)[2], Vector*, Panel&, int) const {}

  template <class Format>
  PACKED_INLINE void storeQuads(Vector* to, const Vector quads[4], Vector scale) const {
    PACKED_UNROLL
    for (int k = 0; k < 4; ++k) {
      Vector even, odd;
      if constexpr (Format::kSigned) {
        even = wasm_i16x8_shr(wasm_i16x8_shl(quads[k], 8), 8);
        odd = wasm_i16x8_shr(quads[k], 8);
      } else {
        even = bitAnd(quads[k], splat16(0x00ff));
        odd = wasm_u16x8_shr(quads[k], 8);
      }
      if constexpr (Format::kZero != 0) {
        even = wasm_i16x8_sub(even, splat16(Format::kZero));
        odd = wasm_i16x8_sub(odd, splat16(Format::kZero));
      }
      if constexpr (Format::kScaled) {
        even = wasm_i16x8_mul(even, scale);
        odd = wasm_i16x8_mul(odd, scale);
      }
      to[4 * k] = even;
      to[4 * k + 2] = odd;
    }
  }
};

// For the relaxed dot products. Signed codes are flipped where the dot product takes them as
// unsigned.
//
// Where shape.scales is IN_CODES, a pair of codes is multiplied as the 16-bit number that it is:
// code + 256 * code times a scale is both products, if the lower one is a byte without a sign. With
// a zero point they are scale * (zero - code), -128..124, and 128 is added first; the sums are
// negative then, and so is d.
struct BytesPanel {
  static constexpr int kVectorsPerQuad = 2;

  const PanelShape& shape;
  Vector flip, zeroPoints, middle;

  template <class Format>
  static PACKED_INLINE BytesPanel of(const PanelShape& shape) {
    const int offset = shape.zeroPoint;  // of eight-bit codes: 128 or none
    if constexpr (Format::kSigned) return {shape, wasm_i8x16_splat(int8_t(offset)), zero(), zero()};
    const bool inCodes = shape.scales == PanelScales::IN_CODES;
    return {shape, wasm_i8x16_splat(static_cast<int8_t>(inCodes ? offset ^ 128 : 0)),
            wasm_i8x16_splat(inCodes ? Format::kZero : 0),
            wasm_i8x16_splat(static_cast<int8_t>(inCodes ? 128 : 0))};
  }

  template <class Format>
  PACKED_INLINE void keepScales(const Vector (*scales)[2], Vector* twice, Panel& panel,
                                int half) const {
    const bool once = shape.scales == PanelScales::ONCE;
    PACKED_ROLLED
    for (int g = 0; g < kGroups<Format>; ++g) {
      panel.scales[g][half] = once ? wasm_i32x4_shr(twice[g], 16) : twice[g];
    }
    if constexpr (Format::kZero != 0 || Format::kSigned) {
      pairsInLanes<kGroups<Format>>(scales, panel.zeros, half);
      const Vector factor = wasm_i16x8_splat(static_cast<int16_t>(-shape.zeroPoint));
      PACKED_UNROLL
      for (int pair = 0; pair < kGroups<Format> / 2; ++pair) {
        panel.zeros[pair][half] = wasm_i16x8_mul(panel.zeros[pair][half], factor);
      }
    }
    if constexpr (Format::kScaledFitsByte) {
      const bool inCodes = shape.scales == PanelScales::IN_CODES;
      PACKED_ROLLED
      for (int g = 0; g < kGroups<Format>; ++g) {
        if (!inCodes)
          twice[g] = wasm_i16x8_splat(1);
        else if (Format::kZero != 0)
          twice[g] = wasm_i16x8_neg(twice[g]);
      }
      if (inCodes && Format::kZero != 0) panel.d[0][half] = wasm_f32x4_neg(panel.d[0][half]);
    }
  }

  template <class Format>
  PACKED_INLINE void storeQuads(Vector* to, const Vector quads[4], Vector scale) const {
    PACKED_UNROLL
    for (int k = 0; k < 4; ++k) {
      Vector codes = quads[k];
      if constexpr (Format::kSigned) codes = bitXor(codes, flip);
      if constexpr (Format::kScaledFitsByte && Format::kZero == 0) {
        codes = wasm_i16x8_mul(codes, scale);
      }
      if constexpr (Format::kScaledFitsByte && Format::kZero != 0) {
        codes = wasm_i16x8_mul(wasm_i16x8_sub(codes, zeroPoints), scale);
        codes = bitXor(wasm_i16x8_add(codes, middle), flip);
      }
      to[2 * k] = codes;
    }
  }
};

}  // namespace packed

#endif
