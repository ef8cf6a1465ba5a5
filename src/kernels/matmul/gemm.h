// The GEMM: eight rows of one block are decoded once into a panel, then multiplied with all
// columns, eight rows by four columns at a time. Rows stand in lanes, so that nothing is summed
// across.
//
// A panel's codes: for each quad of four consecutive values, of rows 0..3 and of rows 4..7
//
//   wide     two vectors each, int16 pairs of values 0 and 2, then of 1 and 3, zero point taken off
//   and
//            multiplied by the group's scale (at most 128 * 63 < 2^13, summed over 256 products of
//            at most 2^13 * 127 < 2^28)
//   bytes    one vector each, four codes per row as they are
#pragma once

#include "kernels/matmul/dots.h"
#include "kernels/matmul/pack_activations.h"

#if defined(PACKED_SIMD)

namespace packed {

struct Panel {
  Vector codes[256];
  Vector scales[16][2];   // bytes: per group
  Vector zeros[8][2];     // bytes: per pair of groups, scale * -zero point of both, int16
  Vector minimums[8][2];  // per pair of groups, int16
  Vector d[4][2];         // per float scale (one, or four of NVFP4)
  Vector dmin[2];
};

// What multiplying needs to know of a format.
struct PanelShape {
  uint32_t quads = 8;   // per block
  uint32_t groups = 1;  // integer scales per block
  uint32_t floatScales = 1;
  bool minimum = false;
  int zeroPoint = 0;          // bytes: what codes have too much; integer scales need Panel::zeros
  uint32_t quadsPerStep = 8;  // bytes: quads whose sum fits the narrow lanes of Dot16
};

struct GemmFormat {
  ActivationNeeds needs;
  PanelShape shape;
  Encoding encoding;
  void (*decode)(const GemmFormat& format, const uint8_t* const rows[8], Panel& panel);
  void (*multiply)(const PanelShape& shape, const Panel& panel, const uint8_t* x, const float* d,
                   const int16_t* sums, uint64_t columns, float* y);
};

void gemm(const GemmFormat& format, const MatmulCall& call, uint32_t blockBytes);
uint64_t gemmWorkspace(const GemmFormat& format, const MatmulShape& shape);

// y[column][8 rows] += panel times x, for all columns (a multiple of four) of one block.
void multiplyWide(const PanelShape& shape, const Panel& panel, const uint8_t* x, const float* d,
                  const int16_t* sums, uint64_t columns, float* y);

#if defined(PACKED_RELAXED_SIMD)
// The same with a panel of bytes: 32-bit dot products of formats with a single scale, and with
// scales per group; 16-bit ones of either.
void multiplyBytes32(const PanelShape& shape, const Panel& panel, const uint8_t* x, const float* d,
                     const int16_t* sums, uint64_t columns, float* y);
void multiplyScaledBytes32(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                           const float* d, const int16_t* sums, uint64_t columns, float* y);
void multiplyBytes16(const PanelShape& shape, const Panel& panel, const uint8_t* x, const float* d,
                     const int16_t* sums, uint64_t columns, float* y);
// Either for formats with a float scale per group.
void multiplyFloatGroups32(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                           const float* d, const int16_t* sums, uint64_t columns, float* y);
void multiplyFloatGroups16(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                           const float* d, const int16_t* sums, uint64_t columns, float* y);
#endif

// Any BLOCKED encoding: unpacked one block at a time by its codec.
void decodeParts(const GemmFormat& format, const uint8_t* const rows[8], Panel& panel);
GemmFormat gemmOfParts(Encoding encoding);
#if defined(PACKED_RELAXED_SIMD)
// The same for 32-bit dot products of bytes: encodings whose blocks have one float scale.
GemmFormat gemmOfPartsInBytes(Encoding encoding);
#endif

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
  static PACKED_INLINE void keepNoScale(Panel&, int) {}

  template <class Format>
  static PACKED_INLINE void storeQuads(Vector* to, const Vector quads[4], Vector scale) {
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
  static PACKED_INLINE void keepNoScale(Panel& panel, int half) {
    panel.scales[0][half] = splat16(1);
  }

  template <class Format>
  static PACKED_INLINE void storeQuads(Vector* to, const Vector quads[4], Vector) {
    const Vector flip = splat8(relaxedDot() == RelaxedDot::UNSIGNED ? 0x80 : 0);
    PACKED_UNROLL
    for (int k = 0; k < 4; ++k) to[2 * k] = Format::kSigned ? bitXor(quads[k], flip) : quads[k];
  }
};

// Sixteen values' codes of four rows, from `value` on, into the panel.
template <class Format, class Kind>
PACKED_INLINE void storeFour(Vector quads[4], int value, int half, const Vector* scales,
                             Vector* codes) {
  exchangeLanes(quads);
  Kind::template storeQuads<Format>(codes + value / 4 * Kind::kVectorsPerQuad + half, quads,
                                    scales[value / kGroup<Format>]);
}

// Vector v of a chunk, of four rows, into the panel.
template <class Format, class Kind, int v>
PACKED_INLINE void decodeVector(const uint8_t* const rows[4], int chunk, int half,
                                const Vector* scales, Vector* codes) {
  Vector quads[4];
  PACKED_UNROLL
  for (int r = 0; r < 4; ++r) quads[r] = Format::template codes<v>(rows[r], chunk);
  storeFour<Format, Kind>(quads, firstValue<Format>(chunk) + v * Format::kStride, half, scales,
                          codes);
  if constexpr (v + 1 < Format::kVectors) {
    decodeVector<Format, Kind, v + 1>(rows, chunk, half, scales, codes);
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
                              Vector* codes) {
  static_assert(Format::kChunks == 1 && Format::kStride == 16);
  alignas(16) uint8_t bytes[4][kElements<Format>];
  PACKED_ROLLED
  for (int r = 0; r < 4; ++r) storeCodes<Format>(rows[r], bytes[r]);
  PACKED_ROLLED
  for (int value = 0; value < kElements<Format>; value += 16) {
    Vector quads[4];
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) quads[r] = load(bytes[r] + value);
    storeFour<Format, Kind>(quads, value, half, scales, codes);
  }
}

template <class Format, class Kind>
PACKED_NOINLINE void decodePanel(const GemmFormat&, const uint8_t* const allRows[8], Panel& panel) {
  PACKED_ROLLED
  for (int half = 0; half < 2; ++half) {
    const uint8_t* const* rows = allRows + 4 * half;
    Vector scaleVectors[16];
    if constexpr (Format::kScaled) {
      Vector scales[4][2];
      PACKED_UNROLL
      for (int r = 0; r < 4; ++r) Format::scales(rows[r], scales[r]);
      groupsInLanes<kGroups<Format>>(scales, scaleVectors, 1);
      Kind::template keepScales<Format>(scales, scaleVectors, panel, half);
    } else {
      Kind::keepNoScale(panel, half);
    }
    if constexpr (Format::kMinimum && Format::kScaled) {
      Vector mins[4][2];
      PACKED_UNROLL
      for (int r = 0; r < 4; ++r) Format::mins(rows[r], mins[r]);
      pairsInLanes<kGroups<Format>>(mins, panel.minimums, half);
    } else if constexpr (Format::kMinimum) {
      panel.minimums[0][half] = splat32(1);
    }
    if constexpr (Format::kMinimum) panel.dmin[half] = Format::dmin(rows);
    if constexpr (Format::kFloatScales == 1) {
      panel.d[0][half] = Format::d(rows);
    } else {
      Vector scales[4];
      PACKED_UNROLL
      for (int r = 0; r < 4; ++r) scales[r] = Format::floatScales(rows[r]);
      exchangeLanes(scales);
      PACKED_UNROLL
      for (int g = 0; g < 4; ++g) panel.d[g][half] = scales[g];
    }
    if constexpr (Format::kVectors > 4) {
      decodeLong<Format, Kind>(rows, half, scaleVectors, panel.codes);
    } else {
      PACKED_ROLLED
      for (int chunk = 0; chunk < Format::kChunks; ++chunk) {
        decodeVector<Format, Kind, 0>(rows, chunk, half, scaleVectors, panel.codes);
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
