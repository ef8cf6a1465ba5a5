#include "tensor/prepack.h"

#include "base/clock.h"
#include "layout/permutation.h"

namespace packed {
namespace {

std::string adapterKind(BlockOrder order) {
  return order == BlockOrder::ROW_MAJOR ? "prepack-row_major" : "prepack-input_block_major";
}

std::string shapeText(const TensorView& view) {
  std::string text = "[";
  for (const uint64_t size : view.shape()) text += joined(text.size() > 1 ? ", " : "", size);
  return joined(nameOf(view.encoding()), " ", text, "]");
}

void tell(TraceSink* sink, const TensorView& view, BlockOrder order, const std::string& scope,
          uint64_t startNanos) {
  if (!sink) return;
  TraceEvent event;
  event.kind = TraceKind::AdapterInserted;
  event.what = adapterKind(order);
  event.from = nameOf(view.order());
  event.to = nameOf(order);
  event.target = shapeText(view);
  event.scope = scope;
  event.bytes = view.packedSize();
  event.startNanos = startNanos;
  event.nanos = nowNanos() - startNanos;
  sink->record(event);
}

}  // namespace

Result<TensorView> prepack(const TensorView& view, BlockOrder order, Scope& scope, TraceSink* sink) {
  if (view.layout().axesSwapped()) {
    return refused(sink, refuse(ErrorCode::NOT_BLOCKED,
                                "prepack of a transposed view: its rows are not made of whole blocks; "
                                "prepack the weight itself, as [out, in]"));
  }
  if (view.order() == order) return view;
  const uint64_t start = sink ? nowNanos() : 0;
  auto storage = scope.allocate(view.packedSize(), adapterKind(order));
  if (!storage) return refused(sink, std::move(storage).error());
  PACKED_TRY(to, (*storage)->writableBytes());
  if (auto copied = view.copyBlocks(order, to); !copied) {
    PACKED_CHECK(scope.release(**storage));
    return refused(sink, std::move(copied).error());
  }
  PACKED_TRY(made, TensorView::of(*storage, view.encoding(), view.shape(), order));
  tell(sink, view, order, scope.name(), start);
  return made;
}

Result<TensorView> prepackInPlace(const TensorView& view, BlockOrder order, TraceSink* sink) {
  const Layout& layout = view.layout();
  if (!layout.gapFree() || view.packedSize() != view.storage()->size()) {
    return refused(sink, refuse(ErrorCode::NOT_BLOCKED,
                                "prepackInPlace of a view that does not cover its storage without gaps "
                                "would move blocks that it does not show; use prepack"));
  }
  if (view.order() == order) return view;
  const uint64_t start = sink ? nowNanos() : 0;
  auto bytes = view.storage()->writableBytes();
  if (!bytes) return refused(sink, std::move(bytes).error());
  const uint32_t blockBytes = specOf(view.encoding()).bytes;
  const uint64_t sliceBytes = layout.grid().out * layout.grid().blocksPerRow * blockBytes;
  for (uint64_t s = 0; s < layout.sliceCount(); ++s) {
    auto done = permuteBlocksInPlace(layout.grid(), blockBytes,
                                     bytes->subspan(s * sliceBytes, sliceBytes), view.order(), order);
    if (!done) return refused(sink, std::move(done).error());
  }
  PACKED_TRY(made, TensorView::of(view.storage(), view.encoding(), view.shape(), order));
  tell(sink, view, order, "in place", start);
  return made;
}

}  // namespace packed
