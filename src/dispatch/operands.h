// What is checked before any kernel sees an operand: shapes, encodings, memory that overlaps or is
// gone.
#pragma once

#include <span>

#include "kernels/matmul/matmul.h"
#include "tensor/tensor_view.h"

namespace packed {

// The shape of y = x * transpose(w), or why there is none. Errors: those of matmul (matmul.h).
Result<MatmulShape> checkOperands(std::span<const float> x, const TensorView& w, std::span<float> y,
                                  Activation activation);

// Whether a weight can be multiplied by at all: RANK_UNSUPPORTED, TRANSPOSE_REFUSED,
// UNSUPPORTED_ENCODING.
Status checkWeight(const TensorView& w);

// TRANSPOSE_REFUSED, naming matmulWeightTransposed.
Error transposeRefused(const TensorView& view);

}  // namespace packed
