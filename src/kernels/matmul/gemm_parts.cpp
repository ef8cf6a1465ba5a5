// GEMMs of encodings without Codes: their codec takes a block apart, the tile is the same.
#include "encoding/codec.h"
#include "kernels/matmul/gemm.h"
#include "kernels/relaxed_probe.h"

#if defined(PACKED_SIMD)

namespace packed {
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
void storeBytes(const BlockParts* parts, uint32_t values, uint32_t groups, int half, Panel& panel) {
  const bool offset = relaxedDot() == RelaxedDot::UNSIGNED;
  const Vector flip = splat8(offset ? 0x80 : 0);
  for (uint32_t i = 0; i < values; i += 16) {
    Vector quads[4];
    for (int r = 0; r < 4; ++r) quads[r] = load(parts[r].codes + i);
    exchangeLanes(quads);
    for (uint32_t k = 0; k < 4; ++k) panel.codes[i / 2 + 2 * k + half] = bitXor(quads[k], flip);
  }
  for (uint32_t g = 0; g < groups; ++g) {
    const Vector twice = twiceInLanes(parts, [g](const BlockParts& of) { return of.scales[g]; });
    panel.scales[g][half] = wasm_i32x4_shr(twice, 16);
  }
  const Vector factor = splat16(offset ? -128 : 0);
  for (uint32_t g = 0; g < groups; g += 2) {
    const Vector pair =
        pairInLanes(parts, g, groups, [](const BlockParts& of) { return of.scales; });
    panel.zeros[g / 2][half] = wasm_i16x8_mul(pair, factor);
  }
}

void decodePartsToBytes(const GemmFormat& format, const uint8_t* const rows[8], Panel& panel) {
  decodeFours(format, rows, panel,
              [&](const BlockParts* parts, const EncodingSpec& spec, int half) {
                storeBytes(parts, spec.elements, format.shape.groups, half, panel);
              });
}

}  // namespace

GemmFormat gemmOfPartsInBytes(Encoding encoding) {
  GemmFormat format = gemmOfParts(encoding);
  format.needs.form = ActivationForm::NATURAL;
  format.shape.zeroPoint = relaxedDot() == RelaxedDot::UNSIGNED ? 128 : 0;
  format.decode = &decodePartsToBytes;
  format.multiply = format.shape.groups > 1 ? &multiplyScaledBytes32 : &multiplyBytes32;
  return format;
}
#endif  // PACKED_RELAXED_SIMD

}  // namespace packed

#endif  // PACKED_SIMD
