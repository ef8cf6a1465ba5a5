// The GEMM: eight rows of one block are decoded once into a panel, then multiplied with all
// columns, eight rows by four columns at a time, or column by column (gemm_groups.cpp). Rows stand in
// lanes, so that nothing is summed across.
//
// A panel's codes: for each quad of four consecutive values, of rows 0..3 and of rows 4..7
//
//   wide     two vectors each, int16 pairs of values 0 and 2, then of 1 and 3, zero point off and
//            multiplied by the group's scale (at most 128 * 63 < 2^13, summed over 256 products of
//            at most 2^13 * 127 < 2^28)
//   bytes    one vector each, four codes per row: as they are, or times their scales where that
//            fits a byte
#pragma once

#include "encoding/encoding.h"
#include "kernels/matmul/pack_activations.h"
#include "kernels/simd128.h"

#if defined(PACKED_SIMD)

namespace packed {

struct Panel {
  Vector codes[256];
  Vector scales[16][2];   // bytes: per group; 1 where a format has none
  Vector zeros[8][2];     // 16-bit sums: per pair of groups, scale * -zero point of both, int16
  Vector minimums[8][2];  // per pair of groups, int16
  Vector d[4][2];         // per float scale (one, or four of NVFP4)
  Vector dmin[2];
};

// Where integer scales of bytes are: once per lane for 32-bit sums, twice for 16-bit ones, or in
// the codes.
enum class PanelScales : uint8_t { ONCE, TWICE, IN_CODES };

// What multiplying needs to know of a format.
struct PanelShape {
  uint32_t quads = 8;   // per block
  uint32_t groups = 1;  // integer scales per block that are not in the codes, or minimums
  uint32_t floatScales = 1;
  bool minimum = false;
  int zeroPoint = 0;  // bytes: what codes have too much
  PanelScales scales = PanelScales::ONCE;
  uint32_t quadsPerStep = 8;  // bytes: quads whose sum fits the narrow lanes of Dot16
};

// y[column][8 rows] += panel times x, for all columns (a multiple of four) of one block.
using MultiplyPanel = void(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                           const float* d, const int16_t* sums, uint64_t columns, float* y);

struct GemmFormat;
// Eight rows of one block into a panel.
using DecodePanel = void(const GemmFormat& format, const uint8_t* const rows[8], Panel& panel);

struct GemmFormat {
  ActivationNeeds needs;
  PanelShape shape;
  Encoding encoding;
  DecodePanel* decode;
  // The same in fewer instructions, once it has come (see useAccelerators); null: none.
  DecodePanel* decodeFaster = nullptr;
  MultiplyPanel* multiply;
};

void gemm(const GemmFormat& format, const MatmulCall& call, uint32_t blockBytes);
uint64_t gemmWorkspace(const GemmFormat& format, const MatmulShape& shape);

// y[column][8 rows] -= the minimums of a block with several groups.
void subtractMinimums(const PanelShape& shape, const Panel& panel, const float* d,
                      const int16_t* sums, uint64_t columns, float* y);

// A panel of 16-bit codes.
MultiplyPanel multiplyWide;

#if defined(PACKED_RELAXED_SIMD)
// Panels of bytes, by 32-bit dot products: with a single scale or with scales in the codes, and with
// scales per group (x is SIXTEENS), each without minimums and with them.
MultiplyPanel multiplyBytes32, multiplyBytesWithMinimum32;
MultiplyPanel multiplyGroups32, multiplyGroupsWithMinimum32;
// By 16-bit ones: any of them.
MultiplyPanel multiplyBytes16;
// Either for formats with a float scale per group.
MultiplyPanel multiplyFloatGroups32, multiplyFloatGroups16;
#endif

// Any BLOCKED encoding without a minimum: unpacked one block at a time by its codec.
DecodePanel decodePartsToPanel;
GemmFormat gemmOfParts(Encoding encoding);
#if defined(PACKED_RELAXED_SIMD)
// The same for 32-bit dot products of bytes: encodings whose blocks have one float scale.
GemmFormat gemmOfPartsInBytes(Encoding encoding);
#endif

}  // namespace packed

#endif
