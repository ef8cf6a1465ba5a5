// Activations as the int8 vector kernels want them, made once per matmul in the caller's scratch
// memory. The rounding is activation.h's, bit for bit.
//
//   GEMV, each column by itself
//     x     Form::NATURAL  int8  [inputDim]
//           Form::SPLIT    int16 [inputDim / 16][2][8]: for each 16 values the odd ones, then
//                          256 * even - odd (Wide in dots.h)
//     sums  int16 [blocks][groups]: sum of the values of each group; with `evenOnly` of the even
//           ones
//
//   GEMM, four columns at a time (the last ones padded with zeros), so that a value of each stands
//   in one vector; q = inputDim / 4 quads of consecutive values
//     x     Form::NATURAL  int8  [blocks][columns / 4][q per block][4 columns][4]
//           Form::SPLIT    int16 the same with each quad as [2][4 columns][2]: values 0 and 2,
//                          then 1 and 3
//           Form::SIXTEENS [blocks][elements / 16][columns]: an int32 that the sums of products of
//                          these sixteen values start with, then the values, int8. Where a group
//                          begins it is the sum of the group's values times `sumFactor`, else 0
//     d     f32   [blocks][columns]
//     sums  int16 [blocks][columns / 4][(groups + 1) / 2][4 columns][2]; with a `sumFactor` int32
//           [blocks][columns / 4][groups][4 columns], times the factor. Of SIXTEENS only where
//           minimums need them
#pragma once

#include <cstdint>

#include "kernels/matmul/matmul.h"

namespace packed {

enum class ActivationForm : uint8_t { NATURAL, SPLIT, SIXTEENS };

constexpr uint64_t kStartBytes = 4;  // SIXTEENS: in front of each sixteen values
// Bytes of sixteen values.
constexpr uint64_t sixteenBytes(ActivationForm form) {
  return form == ActivationForm::NATURAL ? 16
         : form == ActivationForm::SPLIT ? 32
                                         : kStartBytes + 16;
}

// What a format asks for.
struct ActivationNeeds {
  uint32_t elements = 32;  // per block
  uint32_t groups = 1;     // per block
  ActivationForm form = ActivationForm::SPLIT;
  bool evenOnly = false;
  // GEMV: writes x of one block in an order of the format's own, instead of SPLIT.
  void (*arrange)(const int8_t* codes, int16_t* to, uint32_t elements) = nullptr;
  bool sums = true;   // GEMM: whether they are read
  int sumFactor = 0;  // GEMM: of sums that those of products start with
};

// Rows that pass together by one block of x at most, a multiple of eight: in kernel order their
// blocks lie side by side, while the next block of a row is often whole pages away. As many as keep
// y in the first-level cache.
constexpr uint64_t gemmRows(uint64_t paddedColumns) {
  const uint64_t rows = paddedColumns == 0 ? 0 : 4096 / paddedColumns / 8 * 8;
  return rows < 8 ? 8 : rows > 64 ? 64 : rows;
}

// Where everything lies in the scratch memory.
struct ActivationPlan {
  ActivationNeeds needs;
  uint64_t columns = 0;        // as called
  uint64_t paddedColumns = 0;  // to a multiple of 4 for the GEMM
  uint64_t paddedRows = 0;     // to a multiple of 4
  uint64_t blocks = 0;
  bool gemm = false;

  uint64_t codes = 0, scales = 0;  // int8 [columns][inputDim], f32 [columns][blocks]
  uint64_t x = 0, sums = 0, columnScales = 0;
  // Partial results: f32 [columns][paddedRows], GEMM [gemmRows / 8][columns][8].
  uint64_t y = 0;
  uint64_t bytes = 0;

  // GEMM: int16 numbers of `sums` per column and block.
  uint64_t sumWidth() const {
    if (!needs.sums) return 0;
    return needs.sumFactor != 0 ? 2 * needs.groups : (needs.groups + 1) / 2 * 2;
  }

  static ActivationPlan of(const ActivationNeeds& needs, const MatmulShape& shape, bool gemm);
};

// Rounds all of call.x.
void quantizeColumns(const ActivationPlan& plan, const MatmulCall& call);

// Writes x and sums of one column (GEMV).
void packColumn(const ActivationPlan& plan, uint8_t* scratch, uint64_t column);

// Writes x, d and sums of all columns (GEMM).
void packColumns(const ActivationPlan& plan, uint8_t* scratch);

}  // namespace packed
