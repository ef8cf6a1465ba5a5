// prepack: a view's blocks in the order asked for. It is a conversion and is named as one: it
// allocates in a scope, and the sink sees an AdapterInserted event with the bytes it cost. It is
// not a transpose.
//
// `sink` may be null throughout. On an error nothing has changed and nothing stays allocated.
#pragma once

#include "tensor/scope.h"
#include "tensor/tensor_view.h"

namespace packed {

// What a relayout would need, known before anything is paid: for a plan that is shown or refused.
// Not for a transposed view: prepack refuses it, whatever the plan says. Errors: SCOPE_CLOSED,
// STALE_VIEW.
struct RelayoutPlan {
  bool needed = false;        // the order asked for is not the view's
  uint64_t bytes = 0;         // copied, and allocated in the scope out of place
  uint64_t scratchBytes = 0;  // allocated in place instead
};
Result<RelayoutPlan> planPrepack(const TensorView& view, BlockOrder order);

// `view` itself, sharing its storage and without an event, when its order is `order` already.
// Otherwise a copy of its blocks in `scope`, gap-free in `order`, with the same values. Works on
// narrowed and sliced views and on stacks (grid by grid); there and back is byte-identical. Errors:
// NOT_BLOCKED for a transposed view, SCOPE_CLOSED and STALE_VIEW of its bytes, whatever
// Scope::allocate refuses.
Result<TensorView> prepack(const TensorView& view, BlockOrder order, Scope& scope, TraceSink* sink);

// The blocks seen without the gaps of a narrowed or stepped view, in the view's own order; `view`
// itself when it has none. For kernels that do not read strides. Errors as prepack.
Result<TensorView> compact(const TensorView& view, Scope& scope, TraceSink* sink);

// The relayout inside the view's own bytes, for when a second buffer cannot be had. Other views of
// the storage become stale: they are refused from then on, and only the returned view is to be
// used. Scratch memory is allocated meanwhile (permutation.h says how much). Errors: NOT_BLOCKED
// unless the view covers its whole storage without gaps, SCOPE_CLOSED, STALE_VIEW, WRITE_REFUSED
// for borrowed bytes, OUT_OF_MEMORY.
Result<TensorView> prepackInPlace(const TensorView& view, BlockOrder order, TraceSink* sink);

}  // namespace packed
