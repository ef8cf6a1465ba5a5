// GEMMs of encodings without Codes: their codec takes a block apart, the tile is the same.
#include "base/assert.h"
#include "encoding/codec.h"
#include "kernels/matmul/gemm_codebooks.h"
#include "kernels/matmul/panel_kinds.h"
#include "kernels/relaxed_probe.h"

#if defined(PACKED_SIMD)

namespace packed {
namespace {

template <int groups>
void scalesInLanes(const BlockParts* parts, Vector* to) {
  Vector scales[4][2];
  for (int r = 0; r < 4; ++r) {
    for (int part = 0; part < groups / 8; ++part)
      scales[r][part] = load(parts[r].scales + 8 * part);
  }
  groupsInLanes<groups>(scales, to);
}
void scalesInLanes(const BlockParts* parts, uint32_t groups, Vector* to) {
  PACKED_ASSERT(groups == 8 || groups == 16);
  groups == 8 ? scalesInLanes<8>(parts, to) : scalesInLanes<16>(parts, to);
}

// Rows of parts to a panel, four rows at a time.
void storeWide(const BlockParts* parts, uint32_t values, uint32_t group, bool scaled,
               Vector* codes) {
  Vector scales[16];
  if (scaled) scalesInLanes(parts, values / group, scales);
  for (uint32_t i = 0; i < values; i += 16) {
    Vector quads[4];
    for (int r = 0; r < 4; ++r) quads[r] = load(parts[r].codes + i);
    exchangeLanes(quads);
    for (uint32_t k = 0; k < 4; ++k) {
      Vector even = wasm_i16x8_shr(wasm_i16x8_shl(quads[k], 8), 8);
      Vector odd = wasm_i16x8_shr(quads[k], 8);
      if (scaled) {
        even = wasm_i16x8_mul(even, scales[i / group]);
        odd = wasm_i16x8_mul(odd, scales[i / group]);
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
  BlockParts parts[4];
  for (int half = 0; half < 2; ++half) {
    for (int r = 0; r < 4; ++r) unpack(rows[4 * half + r], parts[r]);
    store(parts, spec, half);
    for (uint32_t s = 0; s < format.shape.floatScales; ++s) {
      panel.d[s][half] =
          wasm_f32x4_make(parts[0].d[s], parts[1].d[s], parts[2].d[s], parts[3].d[s]);
    }
  }
}

}  // namespace

void decodePartsToPanel(const GemmFormat& format, const uint8_t* const rows[8], Panel& panel) {
  const bool scaled = format.shape.groups > 1 && format.shape.floatScales == 1;
  decodeFours(format, rows, panel,
              [&](const BlockParts* parts, const EncodingSpec& spec, int half) {
                storeWide(parts, spec.elements, spec.group, scaled, panel.codes + half);
              });
}

PACKED_SMALL GemmFormat gemmOfParts(Encoding encoding) {
  PACKED_ASSERT(!hasMinimum(encoding));
  const EncodingSpec& spec = specOf(encoding);
  GemmFormat format;
  format.encoding = encoding;
  format.shape.quads = spec.elements / 4;
  format.shape.groups = hasFloatScalePerGroup(encoding) ? 1 : spec.elements / spec.group;
  format.shape.floatScales = hasFloatScalePerGroup(encoding) ? spec.elements / spec.group : 1;
  format.needs = {spec.elements, format.shape.groups, ActivationForm::SPLIT, false};
  format.decode = &decodePartsToPanel;
  format.multiply = &multiplyWide;
  return format;
}

#if defined(PACKED_RELAXED_SIMD)
namespace {

// Codes as they are, or 128 higher where the dot product takes them as unsigned. A group of 32 sums
// to at most 32 * 255 * 127 < 2^20, times IQ's scales of at most 31 in eight groups < 2^28; the 256
// codes of a Q8_K block to 2^23.
void storeBytes(const BlockParts* parts, uint32_t values, uint32_t groups, int half, Panel& panel) {
  const Vector flip = splat8(excessOfSigned());
  for (uint32_t i = 0; i < values; i += 16) {
    Vector quads[4];
    for (int r = 0; r < 4; ++r) quads[r] = load(parts[r].codes + i);
    exchangeLanes(quads);
    for (uint32_t k = 0; k < 4; ++k) panel.codes[i / 2 + 2 * k + half] = bitXor(quads[k], flip);
  }
  if (groups == 1) return;
  Vector scales[16];
  scalesInLanes(parts, groups, scales);
  for (uint32_t g = 0; g < groups; ++g) panel.scales[g][half] = wasm_i32x4_shr(scales[g], 16);
}

void decodePartsToBytes(const GemmFormat& format, const uint8_t* const rows[8], Panel& panel) {
  decodeFours(format, rows, panel,
              [&](const BlockParts* parts, const EncodingSpec& spec, int half) {
                storeBytes(parts, spec.elements, format.shape.groups, half, panel);
              });
}

}  // namespace

PACKED_SMALL GemmFormat gemmOfPartsInBytes(Encoding encoding) {
  GemmFormat format = gemmOfParts(encoding);
  const bool grouped = format.shape.groups > 1;
  format.needs.form = grouped ? ActivationForm::SIXTEENS : ActivationForm::NATURAL;
  format.shape.zeroPoint = excessOfSigned();
  format.decode = &decodePartsToBytes;
  format.decodeFaster = codebookDecoderOf(encoding);
  format.multiply = grouped ? &multiplyGroups32 : &multiplyBytes32;
  return format;
}
#endif  // PACKED_RELAXED_SIMD

}  // namespace packed

#endif  // PACKED_SIMD
