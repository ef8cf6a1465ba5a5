// bitnetGemv: y = W x for one vector and a ternary weight, in either order and through any view.
//
//   TQ1_0, TQ2_0   views: the packed kernels of matmul, so a narrowed or stepped view reads the
//                  right rows
//   BITNET_B1_58   TernaryWeight (tensor/ternary_weight.h): the same bits as TQ2_0 of the same
//                  weights
#pragma once

#include "dispatch/matmul.h"
#include "tensor/ternary_weight.h"

namespace packed {

// x [in], y [out]. UNSUPPORTED_ENCODING for a weight that is not ternary, SHAPE_MISMATCH for more
// than one vector; else the errors of matmul.
Status bitnetGemv(const Registry& registry, Workspace& workspace, std::span<const float> x,
                  const TensorView& w, std::span<float> y, const MatmulOptions& options);

// The options' prepackWeights and scope mean nothing here: both orders have a kernel.
// SHAPE_MISMATCH, ELEMENT_NOT_FINITE for x under Activation::INT8, SCOPE_CLOSED.
Status bitnetGemv(std::span<const float> x, const TernaryWeight& w, std::span<float> y,
                  const MatmulOptions& options);

}  // namespace packed
