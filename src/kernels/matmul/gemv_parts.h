// The GEMV of encodings without Codes: four rows' blocks are taken apart by their codec, then
// multiplied with one or two columns.
#pragma once

#include "encoding/encoding.h"
#include "kernels/matmul/row_sums.h"

#if defined(PACKED_SIMD)

namespace packed {

// y[c][o] += row o times x[c] for `columns` columns; each y is padded to whole fours. x is arranged
// by arrangeApart, its sums are not used.
void gemvOfParts(Encoding encoding, const WeightRows& w, const PackedColumn* x, int columns,
                 float* const* y);

// ActivationNeeds::arrange: for each 16 values the odd ones, then the even ones.
void arrangeApart(const int8_t* codes, int16_t* to, uint32_t elements);

template <Encoding encoding, int columns>
bool gemvRowsOfParts(const WeightRows& w, const PackedColumn* x, float* const* y) {
  gemvOfParts(encoding, w, x, columns, y);
  return true;
}

}  // namespace packed

#endif
