// Eight rows of one block decoded into a panel: as 16-bit codes times their scales, or as bytes.
#pragma once

#include "kernels/matmul/panel_kinds.h"

#if defined(PACKED_SIMD)

namespace packed {

// Sixteen values' codes of four rows, from `value` on, into the panel.
template <class Format, class Kind>
PACKED_INLINE void storeFour(Vector quads[4], int value, int half, const Vector* scales,
                             const Kind& kind, Vector* codes) {
  exchangeLanes(quads);
  kind.template storeQuads<Format>(codes + value / 4 * Kind::kVectorsPerQuad + half, quads,
                                   scales[value / kGroup<Format>]);
}

// Vector v of a chunk, of four rows, into the panel.
template <class Format, class Kind, int v>
PACKED_INLINE void decodeVector(const uint8_t* const rows[4], int chunk, int half,
                                const Vector* scales, const Kind& kind, Vector* codes) {
  Vector quads[4];
  PACKED_UNROLL
  for (int r = 0; r < 4; ++r) quads[r] = Format::template codes<v>(rows[r], chunk);
  storeFour<Format, Kind>(quads, firstValue<Format>(chunk) + v * Format::kStride, half, scales,
                          kind, codes);
  if constexpr (v + 1 < Format::kVectors) {
    decodeVector<Format, Kind, v + 1>(rows, chunk, half, scales, kind, codes);
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
                              const Kind& kind, Vector* codes) {
  static_assert(Format::kChunks == 1 && Format::kStride == 16);
  alignas(16) uint8_t bytes[4][kElements<Format>];
  PACKED_ROLLED
  for (int r = 0; r < 4; ++r) storeCodes<Format>(rows[r], bytes[r]);
  PACKED_ROLLED
  for (int value = 0; value < kElements<Format>; value += 16) {
    Vector quads[4];
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) quads[r] = load(bytes[r] + value);
    storeFour<Format, Kind>(quads, value, half, scales, kind, codes);
  }
}

// The float scale of four rows, and where there is one their minimums'.
template <class Format>
PACKED_INLINE void storeFloatScales(const uint8_t* const rows[4], int half, Panel& panel) {
  if constexpr (Format::kFloatScales > 1) {
    Vector scales[4];
    Format::floatScales(rows, scales);
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
  const Kind kind = Kind::template of<Format>(format.shape);
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
      groupsInLanes<kGroups<Format>>(scales, scaleVectors);
      kind.template keepScales<Format>(scales, scaleVectors, panel, half);
    }
    if constexpr (Format::kMinimum && Format::kScaled) {
      Vector mins[4][2];
      PACKED_UNROLL
      for (int r = 0; r < 4; ++r) Format::mins(rows[r], mins[r]);
      pairsInLanes<kGroups<Format>>(mins, panel.minimums, half);
    }
    if constexpr (Format::kVectors > 4) {
      decodeLong<Format, Kind>(rows, half, scaleVectors, kind, panel.codes);
    } else {
      PACKED_ROLLED
      for (int chunk = 0; chunk < Format::kChunks; ++chunk) {
        decodeVector<Format, Kind, 0>(rows, chunk, half, scaleVectors, kind, panel.codes);
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
