#include "kernels/matmul/gemm.h"

#if defined(PACKED_SIMD)

#include <algorithm>
#include <cstring>

#include "encoding/codec.h"
#include "kernels/matmul/tile.h"

namespace packed {

uint64_t gemmWorkspace(const GemmFormat& format, const MatmulShape& shape) {
  return ActivationPlan::of(format.needs, shape, true).bytes;
}

void gemm(const GemmFormat& format, const MatmulCall& call, uint32_t blockBytes) {
  const uint64_t out = call.grid.out;
  const uint64_t blocks = call.grid.blocksPerRow;
  const auto plan = ActivationPlan::of(format.needs, {out, call.inputDim, call.columns}, true);
  quantizeColumns(plan, call);
  packColumns(plan, call.workspace);

  const uint64_t columns = plan.paddedColumns;
  const uint64_t xStride =
      columns * format.needs.elements * (format.needs.form == ActivationForm::SPLIT ? 2 : 1);
  const uint64_t sumStride = columns * ((format.needs.groups + 1) / 2) * 2;
  const uint8_t* x = call.workspace + plan.x;
  const auto* d = reinterpret_cast<const float*>(call.workspace + plan.columnScales);
  const auto* sums = reinterpret_cast<const int16_t*>(call.workspace + plan.sums);
  auto* y = reinterpret_cast<float*>(call.workspace + plan.y);
  alignas(16) Panel panel;
  const uint64_t together = call.strides.row < call.strides.block ? gemmRows(columns) : 8;
  for (uint64_t first = 0; first < out; first += together) {
    const uint64_t end = std::min(out, first + together);
    std::fill_n(y, columns * together, 0.0f);
    for (uint64_t b = 0; b < blocks; ++b) {
      for (uint64_t o = first; o < end; o += 8) {
        const uint8_t* at[8];
        for (uint64_t r = 0; r < 8; ++r) {
          at[r] = call.blocks + call.strides.at(std::min(o + r, out - 1), b) * blockBytes;
        }
        format.decode(format, at, panel);
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
  const uint32_t pairs = (shape.groups + 1) / 2;
  const uint32_t steps = 2 * shape.quads / shape.floatScales;
  for (uint64_t c = 0; c < columns; c += 4) {
    const Vector* codes = panel.codes;
    for (uint32_t s = 0; s < shape.floatScales; ++s) {
      Tile tile;
      tile.clear();
      tile.accumulate<WideStep>(codes, x, steps);
      codes += 2 * steps;
      x += 16 * steps;
      if (shape.minimum && shape.groups == 1) {
        tile.addTo(y, panel.d[s], d, panel.dmin, sums);
      } else {
        tile.addTo(y, panel.d[s], d);
      }
    }
    if (shape.minimum && shape.groups > 1) {
      Tile tile;
      tile.clear();
      tile.accumulate<WideStep>(panel.minimums[0], reinterpret_cast<const uint8_t*>(sums), pairs);
      tile.subtractFrom(y, panel.dmin, d);
    }
    sums += 8 * pairs;
    d += 4;
    y += 32;
  }
}

#if defined(PACKED_RELAXED_SIMD)
namespace {

// Groups of a block by steps of as many quads as fit the lanes.
template <class Step, bool scaled, bool narrow>
PACKED_INLINE void multiplyBytes(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                                 const float* d, const int16_t* sums, uint64_t columns, float* y) {
  const uint32_t pairs = (shape.groups + 1) / 2;
  const uint32_t quads = shape.quads / shape.groups;
  const uint32_t stepQuads = narrow ? shape.quadsPerStep : quads;
  for (uint64_t c = 0; c < columns; c += 4) {
    const auto* sumBytes = reinterpret_cast<const uint8_t*>(sums);
    const Vector* codes = panel.codes;
    Tile total;
    total.clear();
    if (shape.zeroPoint) total.accumulate<WideStep>(panel.zeros[0], sumBytes, pairs);
    if constexpr (!scaled && !narrow) {
      total.accumulate<Step>(codes, x, quads);
      x += 16 * quads;
    } else {
      for (uint32_t g = 0; g < shape.groups; ++g) {
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
    if constexpr (!scaled && !narrow) {
      if (shape.minimum) {
        total.addTo(y, panel.d[0], d, panel.dmin, sums);
      } else {
        total.addTo(y, panel.d[0], d);
      }
    } else {
      total.addTo(y, panel.d[0], d);
      if (shape.minimum) {
        Tile tile;
        tile.clear();
        tile.accumulate<WideStep>(panel.minimums[0], sumBytes, pairs);
        tile.subtractFrom(y, panel.dmin, d);
      }
    }
    sums += 8 * pairs;
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
#endif  // PACKED_RELAXED_SIMD

namespace {

// A number of each of four rows, twice per lane.
template <class Number>
Vector twiceInLanes(const BlockParts* parts, Number number) {
  const auto twice = [&](int r) {
    const auto n = static_cast<uint16_t>(number(parts[r]));
    return static_cast<int32_t>(n | static_cast<uint32_t>(n) << 16);
  };
  return wasm_i32x4_make(twice(0), twice(1), twice(2), twice(3));
}

// Numbers of a pair of groups of each of four rows; past the last group 0.
template <class Numbers>
Vector pairInLanes(const BlockParts* parts, uint32_t g, uint32_t groups, Numbers numbers) {
  const auto pair = [&](int r) {
    const int16_t* of = numbers(parts[r]);
    const auto second = g + 1 < groups ? static_cast<uint16_t>(of[g + 1]) : 0u;
    return static_cast<int32_t>(static_cast<uint16_t>(of[g]) | second << 16);
  };
  return wasm_i32x4_make(pair(0), pair(1), pair(2), pair(3));
}

// Rows of parts to a panel, four rows at a time.
void storeWide(const BlockParts* parts, uint32_t values, uint32_t group, bool scaled,
               Vector* codes) {
  for (uint32_t i = 0; i < values; i += 16) {
    Vector quads[4];
    for (int r = 0; r < 4; ++r) quads[r] = load(parts[r].codes + i);
    exchangeLanes(quads);
    const uint32_t g = i / group;
    const Vector scale = twiceInLanes(parts, [g](const BlockParts& of) { return of.scales[g]; });
    for (uint32_t k = 0; k < 4; ++k) {
      Vector even = wasm_i16x8_shr(wasm_i16x8_shl(quads[k], 8), 8);
      Vector odd = wasm_i16x8_shr(quads[k], 8);
      if (scaled) {
        even = wasm_i16x8_mul(even, scale);
        odd = wasm_i16x8_mul(odd, scale);
      }
      codes[i + 4 * k] = even;
      codes[i + 4 * k + 2] = odd;
    }
  }
}

// What every panel of parts has; `store` writes the codes of four rows.
template <class Store>
void decodeFours(const GemmFormat& format, const uint8_t* const rows[8], Panel& panel,
                 Store store) {
  const EncodingSpec& spec = specOf(format.encoding);
  const UnpackBlock unpack = unpackerOf(format.encoding);
  const uint32_t groups = spec.elements / spec.group;
  BlockParts parts[4];
  for (int half = 0; half < 2; ++half) {
    for (int r = 0; r < 4; ++r) unpack(rows[4 * half + r], parts[r]);
    store(parts, spec, half);
    for (uint32_t s = 0; s < format.shape.floatScales; ++s) {
      panel.d[s][half] =
          wasm_f32x4_make(parts[0].d[s], parts[1].d[s], parts[2].d[s], parts[3].d[s]);
    }
    if (!format.shape.minimum) continue;
    panel.dmin[half] = wasm_f32x4_make(parts[0].dmin, parts[1].dmin, parts[2].dmin, parts[3].dmin);
    for (uint32_t g = 0; g < groups; g += 2) {
      panel.minimums[g / 2][half] =
          pairInLanes(parts, g, groups, [](const BlockParts& of) { return of.mins; });
    }
  }
}

}  // namespace

void decodeParts(const GemmFormat& format, const uint8_t* const rows[8], Panel& panel) {
  const bool scaled = format.shape.groups > 1 && format.shape.floatScales == 1;
  decodeFours(format, rows, panel,
              [&](const BlockParts* parts, const EncodingSpec& spec, int half) {
                storeWide(parts, spec.elements, spec.group, scaled, panel.codes + half);
              });
}

GemmFormat gemmOfParts(Encoding encoding) {
  const EncodingSpec& spec = specOf(encoding);
  GemmFormat format;
  format.encoding = encoding;
  format.shape.quads = spec.elements / 4;
  format.shape.groups = hasFloatScalePerGroup(encoding) ? 1 : spec.elements / spec.group;
  format.shape.floatScales = hasFloatScalePerGroup(encoding) ? spec.elements / spec.group : 1;
  format.shape.minimum = hasMinimum(encoding);
  format.needs = {spec.elements, format.shape.groups, ActivationForm::SPLIT, false};
  format.decode = &decodeParts;
  format.multiply = &multiplyWide;
  return format;
}

#if defined(PACKED_RELAXED_SIMD)
namespace {

// Codes as they are, or 128 higher where the dot product takes them as unsigned. A group of 32 sums
// to at most 32 * 255 * 127 < 2^20, times IQ's scales of at most 31 in eight groups < 2^28; the 256
// codes of a Q8_K block to 2^23.
void decodePartsToBytes(const GemmFormat& format, const uint8_t* const rows[8], Panel& panel) {
  const bool offset = relaxedDot() == RelaxedDot::UNSIGNED;
  const Vector flip = splat8(offset ? 0x80 : 0);
  decodeFours(format, rows, panel,
              [&](const BlockParts* parts, const EncodingSpec& spec, int half) {
                for (uint32_t i = 0; i < spec.elements; i += 16) {
                  Vector quads[4];
                  for (int r = 0; r < 4; ++r) quads[r] = load(parts[r].codes + i);
                  exchangeLanes(quads);
                  for (uint32_t k = 0; k < 4; ++k)
                    panel.codes[i / 2 + 2 * k + half] = bitXor(quads[k], flip);
                }
                const Vector factor = splat16(offset ? -128 : 0);
                for (uint32_t g = 0; g < format.shape.groups; ++g) {
                  const Vector scale =
                      twiceInLanes(parts, [g](const BlockParts& of) { return of.scales[g]; });
                  panel.scales[g][half] = wasm_i32x4_shr(scale, 16);
                  if (g % 2 == 1) continue;
                  const Vector pair = pairInLanes(parts, g, format.shape.groups,
                                                  [](const BlockParts& of) { return of.scales; });
                  panel.zeros[g / 2][half] = wasm_i16x8_mul(pair, factor);
                }
              });
}

}  // namespace

GemmFormat gemmOfPartsInBytes(Encoding encoding) {
  GemmFormat format = gemmOfParts(encoding);
  format.needs.form = ActivationForm::NATURAL;
  format.shape.zeroPoint = true;
  format.decode = &decodePartsToBytes;
  format.multiply = format.shape.groups > 1 ? &multiplyScaledBytes32 : &multiplyBytes32;
  return format;
}
#endif  // PACKED_RELAXED_SIMD

}  // namespace packed

#endif  // PACKED_SIMD
