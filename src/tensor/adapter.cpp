#include "tensor/adapter.h"

#include <utility>

namespace packed {

std::string adapterKind(std::string_view verb, BlockOrder order) {
  return joined(verb, order == BlockOrder::ROW_MAJOR ? "-row_major" : "-input_block_major");
}

Arrangement arrangementOf(const TensorView& view, BlockOrder order) {
  return {view.encoding(), view.layout().sliceCount(), view.layout().grid(), order};
}

std::string shapeText(std::string_view encoding, std::span<const uint64_t> shape) {
  std::string text;
  for (const uint64_t size : shape) text += joined(text.empty() ? "" : ", ", size);
  return joined(encoding, " [", text, "]");
}

std::string shapeText(const TensorView& view) {
  return shapeText(nameOf(view.encoding()), view.shape());
}

void tellAdapter(TraceSink* sink, const AdapterPrice& price, std::string target, uint64_t bytes) {
  if (!sink) return;
  TraceEvent event;
  event.kind = TraceKind::AdapterInserted;
  event.what = price.kind;
  event.from = price.from;
  event.to = price.to;
  event.target = std::move(target);
  event.scope = price.scope;
  event.bytes = bytes;
  event.startNanos = price.startNanos;
  event.nanos = price.nanos;
  sink->record(event);
}

void tellAdapter(TraceSink* sink, const AdapterPrice& price, const TensorView& made) {
  if (!sink) return;
  tellAdapter(sink, price, shapeText(made), made.packedSize());
}

}  // namespace packed
