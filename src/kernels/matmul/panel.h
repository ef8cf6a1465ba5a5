// Eight rows of one block decoded into a panel: as 16-bit codes times their scales, or as bytes.
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

// How a panel keeps codes for the wide multiplication.
struct WidePanel {
  static constexpr ActivationForm kForm = ActivationForm::SPLIT;
  static constexpr int kVectorsPerQuad = 4;

  template <class Format>
  static PACKED_INLINE void keepScales(const Vector (*)[2], const Vector*, Panel&, int) {}

  template <class Format>
  static PACKED_INLINE void storeQuads(Vector* to, const Vector quads[4], Vector scale, Vector) {
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

// How a panel keeps codes for the relaxed dot products. Scales and zero points stay apart: twice
// per lane for 16-bit sums, once for 32-bit ones.
struct BytesPanel {
  static constexpr ActivationForm kForm = ActivationForm::NATURAL;
  static constexpr int kVectorsPerQuad = 2;

  // What signed codes have too much: see codesFor in row_sums.h.
  template <class Format>
  static PACKED_INLINE int zeroPoint() {
    if constexpr (Format::kSigned) return relaxedDot() == RelaxedDot::UNSIGNED ? 128 : 0;
    return Format::kZero;
  }

  template <class Format>
  static PACKED_INLINE void keepScales(const Vector (*scales)[2], const Vector* twice, Panel& panel,
                                       int half) {
    const int drop = !Format::kSigned && relaxedDot() == RelaxedDot::NARROW ? 0 : 16;
    PACKED_ROLLED
    for (int g = 0; g < kGroups<Format>; ++g) {
      panel.scales[g][half] = drop == 0 ? twice[g] : wasm_i32x4_shr(twice[g], 16);
    }
    if constexpr (Format::kZero != 0 || Format::kSigned) {
      pairsInLanes<kGroups<Format>>(scales, panel.zeros, half);
      const Vector factor = splat16(-zeroPoint<Format>());
      PACKED_UNROLL
      for (int pair = 0; pair < kGroups<Format> / 2; ++pair) {
        panel.zeros[pair][half] = wasm_i16x8_mul(panel.zeros[pair][half], factor);
      }
    }
  }

  template <class Format>
  static PACKED_INLINE void storeQuads(Vector* to, const Vector quads[4], Vector, Vector flip) {
    PACKED_UNROLL
    for (int k = 0; k < 4; ++k) to[2 * k] = Format::kSigned ? bitXor(quads[k], flip) : quads[k];
  }
};

// Sixteen values' codes of four rows, from `value` on, into the panel.
template <class Format, class Kind>
PACKED_INLINE void storeFour(Vector quads[4], int value, int half, const Vector* scales,
                             Vector flip, Vector* codes) {
  exchangeLanes(quads);
  Kind::template storeQuads<Format>(codes + value / 4 * Kind::kVectorsPerQuad + half, quads,
                                    scales[value / kGroup<Format>], flip);
}

// Vector v of a chunk, of four rows, into the panel.
template <class Format, class Kind, int v>
PACKED_INLINE void decodeVector(const uint8_t* const rows[4], int chunk, int half,
                                const Vector* scales, Vector flip, Vector* codes) {
  Vector quads[4];
  PACKED_UNROLL
  for (int r = 0; r < 4; ++r) quads[r] = Format::template codes<v>(rows[r], chunk);
  storeFour<Format, Kind>(quads, firstValue<Format>(chunk) + v * Format::kStride, half, scales,
                          flip, codes);
  if constexpr (v + 1 < Format::kVectors) {
    decodeVector<Format, Kind, v + 1>(rows, chunk, half, scales, flip, codes);
  }
}

template <class Format, int v = 0>
PACKED_INLINE void storeCodes(const uint8_t* block, uint8_t* to) {
  store(to + 16 * v, Format::template codes<v>(block, 0));
  if constexpr (v + 1 < Format::kVectors) storeCodes<Format, v + 1>(block, to);
}

// A block that is a single long chunk: too much code to be repeated for each row.
template <class Format, class Kind>
PACKED_INLINE void decodeLong(const uint8_t* const rows[4], int half, const Vector* scales,
                              Vector flip, Vector* codes) {
  static_assert(Format::kChunks == 1 && Format::kStride == 16);
  alignas(16) uint8_t bytes[4][kElements<Format>];
  PACKED_ROLLED
  for (int r = 0; r < 4; ++r) storeCodes<Format>(rows[r], bytes[r]);
  PACKED_ROLLED
  for (int value = 0; value < kElements<Format>; value += 16) {
    Vector quads[4];
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) quads[r] = load(bytes[r] + value);
    storeFour<Format, Kind>(quads, value, half, scales, flip, codes);
  }
}

// The float scale of four rows, and where there is one their minimums'.
template <class Format>
PACKED_INLINE void storeFloatScales(const uint8_t* const rows[4], int half, Panel& panel) {
  if constexpr (Format::kFloatScales > 1) {
    Vector scales[4];
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) scales[r] = Format::floatScales(rows[r]);
    exchangeLanes(scales);
    PACKED_UNROLL
    for (int g = 0; g < 4; ++g) panel.d[g][half] = scales[g];
  } else if constexpr (Format::kQuickHalves != 0) {
    const Vector halves = gatherHalves<Format::kQuickHalves>(rows);
    panel.d[0][half] =
        mostlyQuickHalves(Format::kQuickHalves == 2 ? wasm_i32x4_shl(halves, 16) : halves);
    if constexpr (Format::kMinimum) panel.dmin[half] = wasm_f32x4_neg(mostlyQuickHalves(halves));
  } else {
    panel.d[0][half] = Format::d(rows);
    if constexpr (Format::kMinimum) panel.dmin[half] = Format::dmin(rows);
  }
}

template <class Format, class Kind>
PACKED_NOINLINE void decodePanel(const GemmFormat& format, const uint8_t* const allRows[8],
                                 Panel& panel) {
  // The zero point that signed codes are given is 128 or none.
  const Vector flip =
      Format::kSigned ? wasm_i8x16_splat(static_cast<int8_t>(format.shape.zeroPoint)) : zero();
  PACKED_ROLLED
  for (int half = 0; half < 2; ++half) {
    const uint8_t* rows[4];
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) rows[r] = allRows[4 * half + r];
    storeFloatScales<Format>(rows, half, panel);
    Vector scaleVectors[16];
    if constexpr (Format::kScaled) {
      Vector scales[4][2];
      PACKED_UNROLL
      for (int r = 0; r < 4; ++r) Format::scales(rows[r], scales[r]);
      groupsInLanes<kGroups<Format>>(scales, scaleVectors, 1);
      Kind::template keepScales<Format>(scales, scaleVectors, panel, half);
    }
    if constexpr (Format::kMinimum && Format::kScaled) {
      Vector mins[4][2];
      PACKED_UNROLL
      for (int r = 0; r < 4; ++r) Format::mins(rows[r], mins[r]);
      pairsInLanes<kGroups<Format>>(mins, panel.minimums, half);
    }
    if constexpr (Format::kVectors > 4) {
      decodeLong<Format, Kind>(rows, half, scaleVectors, flip, panel.codes);
    } else {
      PACKED_ROLLED
      for (int chunk = 0; chunk < Format::kChunks; ++chunk) {
        decodeVector<Format, Kind, 0>(rows, chunk, half, scaleVectors, flip, panel.codes);
      }
    }
  }
}

template <class Format>
constexpr PanelShape panelShapeOf() {
  PanelShape shape;
  shape.quads = kElements<Format> / 4;
  shape.groups = kGroups<Format>;
  shape.minimum = Format::kMinimum;
  shape.floatScales = Format::kFloatScales;
  return shape;
}

}  // namespace packed

#endif
