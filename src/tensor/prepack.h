// prepack: a view's blocks in the order asked for. It is a conversion and is named as one: it allocates in
// a scope, and the sink sees an AdapterInserted event with the bytes it cost. It is not a transpose.
#pragma once

#include "tensor/scope.h"
#include "tensor/tensor_view.h"

namespace packed {

// `view` itself, sharing its storage and without an event, when its order is `order` already. Otherwise a
// copy of its blocks in `scope`, gap-free in `order`, with the same values. Works on narrowed and sliced
// views and on stacks (grid by grid); there and back is byte-identical.
// Errors: NOT_BLOCKED for a transposed view, whatever Scope::allocate refuses. `sink` may be null.
Result<TensorView> prepack(const TensorView& view, BlockOrder order, Scope& scope, TraceSink* sink);

// The same inside the view's own bytes, for when a second buffer cannot be had: every view of the storage
// made before means something else afterwards, so the storage's version grows and only the returned view
// is to be used. NOT_BLOCKED unless the view covers its whole storage without gaps.
Result<TensorView> prepackInPlace(const TensorView& view, BlockOrder order, TraceSink* sink);

}  // namespace packed
