#include "tensor/prepack.h"

#include "base/clock.h"
#include "layout/permutation.h"
#include "tensor/adapter.h"

namespace packed {
namespace {

// What shows bytes that are gone, or were moved under it, is not even given back as it is.
Status requireAlive(const TensorView& view, TraceSink* sink) {
  auto alive = view.storageBytes();
  if (alive) return Done{};
  return refused(sink, std::move(alive).error());
}

// A gap-free copy in `order`, in `scope`.
Result<TensorView> copied(const TensorView& view, BlockOrder order, Scope& scope, TraceSink* sink,
                          std::string_view verb) {
  if (view.layout().axesSwapped()) {
    return refused(sink,
                   refuse(ErrorCode::NOT_BLOCKED, verb,
                          " of a transposed view: its rows are not made of whole blocks; ", verb,
                          " the weight itself, as [out, in] (a tensor of a file: load it with "
                          "shape OUT_IN)"));
  }
  const uint64_t start = sink ? nowNanos() : 0;
  const std::string kind = adapterKind(verb, order);
  auto storage = scope.allocate(view.packedSize(), kind);
  if (!storage) return refused(sink, std::move(storage).error());
  PACKED_TRY(to, (*storage)->writableBytes());
  if (auto done = view.copyBlocks(order, to); !done) {
    PACKED_CHECK(scope.release(**storage));
    return refused(sink, std::move(done).error());
  }
  (*storage)->arrange(arrangementOf(view, order));
  PACKED_TRY(made, TensorView::of(*storage, view.encoding(), view.shape(), order));
  if (sink) {
    tellAdapter(
        sink, {kind, nameOf(view.order()), nameOf(order), scope.name(), start, nowNanos() - start},
        made);
  }
  return made;
}

}  // namespace

Result<RelayoutPlan> planPrepack(const TensorView& view, BlockOrder order) {
  PACKED_CHECK(view.storageBytes());
  if (view.order() == order) return RelayoutPlan{};
  const BlockGrid grid = view.layout().grid();
  return RelayoutPlan{true, view.packedSize(),
                      inPlaceScratchBytes(grid, specOf(view.encoding()).bytes)};
}

Result<TensorView> prepack(const TensorView& view, BlockOrder order, Scope& scope,
                           TraceSink* sink) {
  PACKED_CHECK(requireAlive(view, sink));
  if (view.order() == order && !view.layout().axesSwapped()) return view;
  return copied(view, order, scope, sink, "prepack");
}

Result<TensorView> compact(const TensorView& view, Scope& scope, TraceSink* sink) {
  PACKED_CHECK(requireAlive(view, sink));
  if (view.layout().gapFree()) return view;
  return copied(view, view.order(), scope, sink, "compact");
}

Result<TensorView> prepackInPlace(const TensorView& view, BlockOrder order, TraceSink* sink) {
  const Layout& layout = view.layout();
  if (!layout.gapFree() || view.packedSize() != view.storage()->size()) {
    return refused(sink,
                   refuse(ErrorCode::NOT_BLOCKED,
                          "prepackInPlace of a view that does not cover its storage without gaps "
                          "would move blocks that it does not show; use prepack"));
  }
  PACKED_CHECK(requireAlive(view, sink));
  if (view.order() == order) return view;
  const uint64_t start = sink ? nowNanos() : 0;
  auto bytes = view.storage()->writableBytes();
  if (!bytes) return refused(sink, std::move(bytes).error());
  auto done = permuteBlocksInPlace(layout.grid(), specOf(view.encoding()).bytes, *bytes,
                                   view.order(), order, layout.sliceCount());
  if (!done) return refused(sink, std::move(done).error());
  view.storage()->arrange(arrangementOf(view, order));
  PACKED_TRY(made, TensorView::of(view.storage(), view.encoding(), view.shape(), order));
  if (sink) {
    tellAdapter(sink,
                {adapterKind("prepack", order), nameOf(view.order()), nameOf(order), "in place",
                 start, nowNanos() - start},
                made);
  }
  return made;
}

}  // namespace packed
