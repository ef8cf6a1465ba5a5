// matmul: y = x * transpose(w) for views, by the best kernel there is. Nothing is ever relaid out
// silently:
//
//   1. a kernel whose key is that of w as it lies
//   2. else, with prepackWeights and a kernel for another arrangement of the same blocks (looked
//      up before anything is copied), a relayout into `scope`, seen as an AdapterInserted event.
//      A view with holes is relaid only for a wider instruction set than that of the kernel that
//      reads its strides
//   3. else, for a view with holes, a kernel that reads strides
//   4. else the decoding reference, seen as a ReferenceUsed event that says why
#pragma once

#include <span>

#include "dispatch/registry.h"
#include "dispatch/workspace.h"
#include "tensor/prepack.h"

namespace packed {

struct MatmulOptions {
  Activation activation = Activation::F32;
  // Off by default: in a decode step it copies the whole weight per token.
  bool prepackWeights = false;
  Scope* scope = nullptr;  // owns the relaid weight; a scope of the call's own when null
  TraceSink* sink = nullptr;
};

// x [columns, in] or [in] (columns = x.size() / in), w [out, in] of rank 2, y [columns, out].
// Errors: RANK_UNSUPPORTED for a stack (take a slice), TRANSPOSE_REFUSED for a transposed packed
// view, SHAPE_MISMATCH, UNSUPPORTED_ENCODING, ELEMENT_NOT_FINITE for x under Activation::INT8,
// SCOPE_CLOSED, STALE_VIEW, OUT_OF_MEMORY, INVALID_ARGUMENT when y overlaps an operand. y is
// written only on success, and then wholly: an input dimension of 0 gives zeros.
Status matmul(const Registry& registry, Workspace& workspace, std::span<const float> x,
              const TensorView& w, std::span<float> y, const MatmulOptions& options);

// A true transpose of block-quantized data would need requantization, so it is always refused for
// BLOCKED encodings: TRANSPOSE_REFUSED, naming matmulWeightTransposed. PLAIN encodings return
// view.transpose(), which is RANK_UNSUPPORTED for a plain vector.
Result<TensorView> transpose(const TensorView& view, TraceSink* sink);

}  // namespace packed
