// Panels of bytes times activations, by the relaxed dot products.
#include "base/assert.h"
#include "kernels/matmul/gemm.h"
#include "kernels/matmul/tile.h"

#if defined(PACKED_RELAXED_SIMD)

namespace packed {
namespace {

// Groups of a block by steps of as many quads as fit the lanes.
template <class Step, bool scaled, bool narrow>
PACKED_INLINE void multiplyBytes(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                                 const float* d, const int16_t* sums, uint64_t columns, float* y) {
  // A single scale, or scales in the codes: one sum from end to end.
  constexpr bool kSingle = !scaled && !narrow;
  const uint32_t groups = shape.groups;
  const uint32_t pairs = (groups + 1) / 2;
  const uint32_t quads = kSingle ? shape.quads : shape.quads / groups;
  const uint32_t stepQuads = narrow ? shape.quadsPerStep : quads;
  const bool offset = shape.zeroPoint != 0, minimum = shape.minimum;
  PACKED_ASSERT(!kSingle || !offset || groups == 1);
  const Vector d8[2] = {panel.d[0][0], panel.d[0][1]};
  for (uint64_t c = 0; c < columns; c += 4) {
    const auto* sumBytes = reinterpret_cast<const uint8_t*>(sums);
    const Vector* codes = panel.codes;
    Tile total;
    if (groups == 1 && offset) {
      total.start(sums);
    } else {
      total.clear();
      if (offset && !kSingle) total.accumulate<WideStep>(panel.zeros[0], sumBytes, pairs);
    }
    if constexpr (kSingle) {
      total.accumulate<Step>(codes, x, quads);
      x += 16 * quads;
    } else {
      for (uint32_t g = 0; g < groups; ++g) {
        for (uint32_t q = 0; q < quads; q += stepQuads) {
          Tile part;
          part.clear();
          part.accumulate<Step>(codes, x, stepQuads);
          if constexpr (narrow) {
            total.addScaled16(part, panel.scales[g]);
          } else {
            total.addScaled32(part, panel.scales[g]);
          }
          codes += 2 * stepQuads;
          x += 16 * stepQuads;
        }
      }
    }
    if (minimum && groups == 1) {
      total.addTo(y, d8, d, panel.dmin, sums);
    } else {
      total.addTo(y, d8, d);
    }
    if (minimum && groups > 1) {
      Tile tile;
      tile.clear();
      tile.accumulate<WideStep>(panel.minimums[0], sumBytes, pairs);
      tile.subtractFrom(y, panel.dmin, d);
    }
    sums += 8 * pairs;
    d += 4;
    y += 32;
  }
}

// Groups with a float scale each, one after the other.
template <class Step, bool narrow>
PACKED_INLINE void multiplyFloatGroups(const PanelShape& shape, const Panel& panel,
                                       const uint8_t* x, const float* d, const int16_t* sums,
                                       uint64_t columns, float* y) {
  const uint32_t quads = shape.quads / shape.floatScales;
  for (uint64_t c = 0; c < columns; c += 4) {
    const Vector* codes = panel.codes;
    for (uint32_t s = 0; s < shape.floatScales; ++s) {
      Tile total;
      total.start(sums + 8 * s);
      if constexpr (narrow) {
        Tile part;
        part.clear();
        part.accumulate<Step>(codes, x, quads);
        total.addScaled16(part, panel.scales[0]);
      } else {
        total.accumulate<Step>(codes, x, quads);
      }
      total.addTo(y, panel.d[s], d);
      codes += 2 * quads;
      x += 16 * quads;
    }
    sums += 8 * shape.floatScales;
    d += 4;
    y += 32;
  }
}

}  // namespace

void multiplyBytes32(const PanelShape& shape, const Panel& panel, const uint8_t* x, const float* d,
                     const int16_t* sums, uint64_t columns, float* y) {
  multiplyBytes<BytesStep32, false, false>(shape, panel, x, d, sums, columns, y);
}
void multiplyScaledBytes32(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                           const float* d, const int16_t* sums, uint64_t columns, float* y) {
  multiplyBytes<BytesStep32, true, false>(shape, panel, x, d, sums, columns, y);
}
void multiplyBytes16(const PanelShape& shape, const Panel& panel, const uint8_t* x, const float* d,
                     const int16_t* sums, uint64_t columns, float* y) {
  multiplyBytes<BytesStep16, true, true>(shape, panel, x, d, sums, columns, y);
}
void multiplyFloatGroups32(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                           const float* d, const int16_t* sums, uint64_t columns, float* y) {
  multiplyFloatGroups<BytesStep32, false>(shape, panel, x, d, sums, columns, y);
}
void multiplyFloatGroups16(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                           const float* d, const int16_t* sums, uint64_t columns, float* y) {
  multiplyFloatGroups<BytesStep16, true>(shape, panel, x, d, sums, columns, y);
}

}  // namespace packed

#endif  // PACKED_RELAXED_SIMD
