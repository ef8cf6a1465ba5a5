// The GEMV of NVFP4, whose blocks are four groups of sixteen values, each under a float scale of
// its own.
//
// Sixteen bytes hold two groups: their low nibbles are the first eight values of both, their high
// nibbles the other eight. Codes stay as they come, and x is brought to them: of each sum's lanes
// the lower half is of the first group, the upper half of the second.
#pragma once

#include "kernels/matmul/row_sums.h"

#if defined(PACKED_SIMD)

namespace packed {

// y[c][o] += row o times x[c] for `columns` columns, three at most; each y is padded to whole
// fours.
template <class Dot>
void gemvOfNvfp4(const WeightRows& w, const PackedColumn* x, int columns, float* const* y);

// ActivationNeeds::arrange of Wide: as SPLIT, eight values of either group at a time.
void arrangeForNvfp4(const int8_t* codes, int16_t* to, uint32_t elements);

template <class Dot, int columns>
bool gemvRowsOfNvfp4(const WeightRows& w, const PackedColumn* x, float* const* y) {
  gemvOfNvfp4<Dot>(w, x, columns, y);
  return true;
}

}  // namespace packed

#endif
