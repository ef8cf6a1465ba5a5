#include "tensor/adapter.h"

namespace packed {

std::string adapterKind(std::string_view verb, BlockOrder order) {
  return joined(verb, order == BlockOrder::ROW_MAJOR ? "-row_major" : "-input_block_major");
}

Arrangement arrangementOf(const TensorView& view, BlockOrder order) {
  return {view.encoding(), view.layout().sliceCount(), view.layout().grid(), order};
}

std::string shapeText(const TensorView& view) {
  std::string text;
  for (const uint64_t size : view.shape()) text += joined(text.empty() ? "" : ", ", size);
  return joined(nameOf(view.encoding()), " [", text, "]");
}

void tellAdapter(TraceSink* sink, const AdapterPrice& price, const TensorView& made) {
  if (!sink) return;
  TraceEvent event;
  event.kind = TraceKind::AdapterInserted;
  event.what = price.kind;
  event.from = nameOf(price.from);
  event.to = nameOf(made.order());
  event.target = shapeText(made);
  event.scope = price.scope;
  event.bytes = price.bytes;
  event.startNanos = price.startNanos;
  event.nanos = price.nanos;
  sink->record(event);
}

}  // namespace packed
