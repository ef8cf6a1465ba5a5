#include "kernels/matmul/gemm.h"

#if defined(PACKED_SIMD)

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "base/cache.h"
#include "kernels/kernel_info.h"
#include "kernels/matmul/tile.h"

namespace packed {
namespace {

// Rows that pass together by one block of x. Of row-major weights small blocks go on at once, to
// what came with them in the same line.
uint64_t rowsTogether(const MatmulCall& call, uint32_t elements, uint64_t columns) {
  constexpr uint64_t kRowMajor = 32;
  if (call.strides.row < call.strides.block) return gemmRows(columns);
  return elements == 256 ? std::min(kRowMajor, gemmRows(columns)) : 8;
}

ActivationPlan planOf(const GemmFormat& format, const MatmulShape& shape) {
  ActivationNeeds needs = format.needs;
  const PanelShape& shapeOfPanel = format.shape;
  // What takes the zero point off, which sums of 32 bits start with; or, for minimums, the sums
  // themselves.
  PACKED_ASSERT(!shapeOfPanel.minimum || shapeOfPanel.zeroPoint == 0);
  const bool starts = shapeOfPanel.scales != PanelScales::TWICE && shapeOfPanel.zeroPoint != 0;
  if (shapeOfPanel.groups == 1 || starts) {
    needs.sumFactor = shapeOfPanel.minimum ? 1 : -shapeOfPanel.zeroPoint;
  }
  needs.sums = needs.form != ActivationForm::SIXTEENS || shapeOfPanel.minimum;
  return ActivationPlan::of(needs, shape, true);
}

}  // namespace

uint64_t gemmWorkspace(const GemmFormat& format, const MatmulShape& shape) {
  return planOf(format, shape).bytes;
}

PACKED_SMALL void gemm(const GemmFormat& format, const MatmulCall& call, uint32_t blockBytes) {
  const uint64_t out = call.grid.out;
  const uint64_t blocks = call.grid.blocksPerRow;
  const ActivationPlan plan = planOf(format, {out, call.inputDim, call.columns});
  quantizeColumns(plan, call);
  packColumns(plan, call.workspace);

  const auto rowBytes = static_cast<std::size_t>(call.strides.row * blockBytes);
  const uint64_t columns = plan.paddedColumns;
  const uint64_t xStride = columns * (format.needs.elements / 16) * sixteenBytes(format.needs.form);
  const uint64_t sumStride = columns * plan.sumWidth();
  const uint8_t* x = call.workspace + plan.x;
  const auto* d = reinterpret_cast<const float*>(call.workspace + plan.columnScales);
  const auto* sums = reinterpret_cast<const int16_t*>(call.workspace + plan.sums);
  auto* y = reinterpret_cast<float*>(call.workspace + plan.y);
  // Large blocks of rows side by side; small ones are there soon enough.
  const bool brings = call.strides.row == 1 && format.needs.elements == 256;
  alignas(16) Panel panel;
  // By which 16-bit sums of formats without integer scales become 32-bit ones.
  panel.scales[0][0] = panel.scales[0][1] = wasm_i16x8_splat(1);
  DecodePanel* const decode =
      format.decodeFaster && acceleratorsAreUsed() ? format.decodeFaster : format.decode;
  const uint64_t together = rowsTogether(call, format.needs.elements, columns);
  for (uint64_t first = 0; first < out; first += together) {
    const uint64_t end = std::min(out, first + together);
    std::fill_n(y, columns * together, 0.0f);
    for (uint64_t b = 0; b < blocks; ++b) {
      const uint8_t* ofBlock = call.blocks + b * call.strides.block * blockBytes;
      if (brings) bringIntoCache(ofBlock + first * rowBytes, (end - first) * rowBytes);
      for (uint64_t o = first; o < end; o += 8) {
        const uint8_t* at[8];
        if (out - o >= 8) {
          const uint8_t* of = ofBlock + o * rowBytes;
          PACKED_UNROLL
          for (std::size_t r = 0; r < 8; ++r) at[r] = of + r * rowBytes;
        } else {
          // The last one stands in for those that are missing.
          for (uint64_t r = 0; r < 8; ++r) at[r] = ofBlock + std::min(o + r, out - 1) * rowBytes;
        }
        decode(format, at, panel);
        format.multiply(format.shape, panel, x + b * xStride, d + b * columns, sums + b * sumStride,
                        columns, y + (o - first) * columns);
      }
    }
    for (uint64_t o = first; o < end; o += 8) {
      const std::size_t rows = static_cast<std::size_t>(std::min<uint64_t>(8, end - o));
      for (uint64_t c = 0; c < call.columns; ++c) {
        std::memcpy(call.y + c * out + o, y + (o - first) * columns + c * 8, rows * sizeof(float));
      }
    }
  }
}

void multiplyWide(const PanelShape& shape, const Panel& panel, const uint8_t* x, const float* d,
                  const int16_t* sums, uint64_t columns, float* y) {
  const bool one = shape.minimum && shape.groups == 1;
  const uint32_t steps = 2 * shape.quads / shape.floatScales;
  for (uint64_t c = 0; c < columns; c += 4) {
    const Vector* codes = panel.codes;
    for (uint32_t s = 0; s < shape.floatScales; ++s) {
      Tile tile;
      tile.clear();
      tile.accumulate<WideStep>(codes, x, steps);
      codes += 2 * steps;
      x += 16 * steps;
      if (one) {
        tile.addTo(y + 8 * c, panel.d[s], d + c, panel.dmin, sums + 2 * c);
      } else {
        tile.addTo(y + 8 * c, panel.d[s], d + c);
      }
    }
  }
  if (shape.minimum && !one) subtractMinimums(shape, panel, d, sums, columns, y);
}

void subtractMinimums(const PanelShape& shape, const Panel& panel, const float* d,
                      const int16_t* sums, uint64_t columns, float* y) {
  const uint32_t pairs = shape.groups / 2;
  for (uint64_t c = 0; c < columns; c += 4) {
    Tile tile;
    tile.clear();
    tile.accumulate<WideStep>(panel.minimums[0], reinterpret_cast<const uint8_t*>(sums), pairs);
    tile.subtractFrom(y, panel.dmin, d);
    sums += 8 * pairs;
    d += 4;
    y += 32;
  }
}

}  // namespace packed

#endif  // PACKED_SIMD
