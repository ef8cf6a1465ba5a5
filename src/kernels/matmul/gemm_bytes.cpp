// Panels of bytes times activations, by the relaxed dot products.
#include "base/assert.h"
#include "kernels/matmul/gemm.h"
#include "kernels/matmul/tile.h"

#if defined(PACKED_RELAXED_SIMD)

namespace packed {
namespace {

// What sums start with that have nothing to take off.
alignas(16) constexpr int16_t kNothing[8] = {};

// By steps of as many quads as fit 16-bit lanes; of a scale per group or one for all. The total stays
// in memory: V8 would keep half of it in registers while a part is summed, and the part's own sums on
// the stack.
PACKED_INLINE void multiplyGroups16(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                                    const int16_t* sums, Tile& total) {
  const uint32_t groups = shape.groups, quads = shape.quads / groups;
  const bool offset = shape.zeroPoint != 0;
  const Vector* codes = panel.codes;
  if (offset && groups == 1) {
    total.start(sums);
  } else {
    total.clear();
    if (offset) {
      total.accumulate<WideStep>(panel.zeros[0], reinterpret_cast<const uint8_t*>(sums),
                                 groups / 2);
    }
  }
  inMemory(&total);
  for (uint32_t g = 0; g < groups; ++g) {
    for (uint32_t q = 0; q < quads; q += shape.quadsPerStep) {
      Tile part;
      part.clear();
      part.accumulate<BytesStep16>(codes, x, shape.quadsPerStep);
      total.addScaled16(part, panel.scales[g]);
      inMemory(&total);
      codes += 2 * shape.quadsPerStep;
      x += 16 * shape.quadsPerStep;
    }
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

// Minimums are taken off elsewhere: V8 would put the sums of every tile on the stack, for the sake of
// those that most formats have not.
void multiplyBytes32(const PanelShape& shape, const Panel& panel, const uint8_t* x, const float* d,
                     const int16_t* sums, uint64_t columns, float* y) {
  const bool offset = shape.zeroPoint != 0;
  PACKED_ASSERT(!offset || shape.groups == 1);
  const int16_t* starts = offset ? sums : kNothing;
  for (uint64_t c = 0; c < columns; c += 4) {
    Tile total;
    total.start(starts);
    total.accumulate<BytesStep32>(panel.codes, x, shape.quads);
    total.addTo(y, panel.d[0], d);
    x += 16 * shape.quads;
    starts += offset ? 8 : 0;
    d += 4;
    y += 32;
  }
}
void multiplyBytesWithMinimum32(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                                const float* d, const int16_t* sums, uint64_t columns, float* y) {
  PACKED_ASSERT(shape.minimum && shape.zeroPoint == 0);
  if (shape.groups > 1) {
    multiplyBytes32(shape, panel, x, d, sums, columns, y);
    return subtractMinimums(shape, panel, d, sums, columns, y);
  }
  for (uint64_t c = 0; c < columns; c += 4) {
    Tile total;
    total.clear();
    total.accumulate<BytesStep32>(panel.codes, x, shape.quads);
    total.addTo(y, panel.d[0], d, panel.dmin, sums);
    x += 16 * shape.quads;
    sums += 8;
    d += 4;
    y += 32;
  }
}
void multiplyBytes16(const PanelShape& shape, const Panel& panel, const uint8_t* x, const float* d,
                     const int16_t* sums, uint64_t columns, float* y) {
  const bool one = shape.minimum && shape.groups == 1;
  const uint64_t sumsOfTile = (shape.groups + 1) / 2 * 8;
  for (uint64_t c = 0; c < columns; c += 4) {
    const int16_t* ofTile = sums + c / 4 * sumsOfTile;
    float* to = y + 8 * c;
    Tile total;
    multiplyGroups16(shape, panel, x, ofTile, total);
    one ? total.addTo(to, panel.d[0], d + c, panel.dmin, ofTile)
        : total.addTo(to, panel.d[0], d + c);
    x += 16 * shape.quads;
  }
  if (shape.minimum && !one) subtractMinimums(shape, panel, d, sums, columns, y);
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
