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
PACKED_NOINLINE inline void groupsInLanes(const Vector (*numbers)[2], Vector* to) {
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
      to[8 * part + g] = low[g];
      to[8 * part + 4 + g] = high[g];
    }
  }
}

// For the wide multiplication. (An object, as the other kind is, which makes its constants once for
// a panel.)
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
// negative then, and so is d. A block sums to at most 256 * 252 * 127 < 2^23.
struct BytesPanel {
  static constexpr int kVectorsPerQuad = 2;

  const PanelShape& shape;
  Vector flip, zeroPoints, middle;

  template <class Format>
  static PACKED_INLINE BytesPanel of(const PanelShape& shape) {
    BytesPanel kind = {shape, zero(), zero(), zero()};
    const auto offset = static_cast<int8_t>(shape.zeroPoint);  // of signed codes: 128 or none
    if constexpr (Format::kSigned) kind.flip = wasm_i8x16_splat(offset);
    if constexpr (Format::kScaledFitsByte && Format::kZero != 0) {
      if (shape.scales == PanelScales::IN_CODES) {
        kind.zeroPoints = wasm_i8x16_splat(Format::kZero);
        kind.middle = wasm_i8x16_splat(INT8_MIN);
        kind.flip = bitXor(wasm_i8x16_splat(offset), kind.middle);
      }
    }
    return kind;
  }

  template <class Format>
  PACKED_INLINE void keepScales(const Vector (*scales)[2], Vector* twice, Panel& panel,
                                int half) const {
    if constexpr (Format::kScaledFitsByte) {
      if (shape.scales == PanelScales::IN_CODES) {
        if constexpr (Format::kZero != 0) {
          PACKED_ROLLED
          for (int g = 0; g < kGroups<Format>; ++g) twice[g] = wasm_i16x8_neg(twice[g]);
          panel.d[0][half] = wasm_f32x4_neg(panel.d[0][half]);
        }
        return;
      }
    }
    const bool once = shape.scales == PanelScales::ONCE;
    PACKED_ROLLED
    for (int g = 0; g < kGroups<Format>; ++g) {
      panel.scales[g][half] = once ? wasm_i32x4_shr(twice[g], 16) : twice[g];
      if (Format::kScaledFitsByte) twice[g] = wasm_i16x8_splat(1);
    }
    if constexpr (Format::kZero != 0) {
      if (once) return;
      pairsInLanes<kGroups<Format>>(scales, panel.zeros, half);
      const Vector factor = wasm_i16x8_splat(static_cast<int16_t>(-shape.zeroPoint));
      PACKED_UNROLL
      for (int pair = 0; pair < kGroups<Format> / 2; ++pair) {
        panel.zeros[pair][half] = wasm_i16x8_mul(panel.zeros[pair][half], factor);
      }
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
