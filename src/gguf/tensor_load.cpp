#include "gguf/tensor_load.h"

#include "base/clock.h"
#include "gguf/utf8.h"

namespace packed {
namespace {

Error named(Error error, const std::string& name) {
  if (error.tensor.empty()) {
    error.message = joined("tensor ", quoted(name), ": ", error.message);
    error.tensor = name;
  }
  return error;
}

std::string labelText(const std::vector<uint64_t>& shape) {
  std::string text;
  for (const uint64_t size : shape) text += joined(text.empty() ? "[" : ", ", size);
  return text + "]";
}

Status check(const GgufHeader& header, const TensorInfo& info, const WeightForm& form) {
  PACKED_CHECK(checkForm(form));
  if (form.order == LoadOrder::KERNEL_FEED) PACKED_CHECK(checkFeedable(header, info));
  return checkViewable(header);
}

}  // namespace

TensorLoad::TensorLoad(Stream stream, const TensorInfo& info, const WeightForm& form,
                       ByteRange range, TraceSink* sink)
    : stream_(std::move(stream)),
      name_(info.name),
      stored_(shapeOf(info, ShapeOrientation::AS_STORED)),
      outIn_(shapeOf(info, ShapeOrientation::OUT_IN)),
      form_(form),
      range_(range),
      sink_(sink) {}

Result<TensorLoad> TensorLoad::start(const GgufHeader& header, const TensorInfo& info,
                                     const WeightForm& form, uint64_t totalSize, Scope& scope,
                                     TraceSink* sink) {
  const auto stop = [&](Error error) { return refused(sink, named(std::move(error), info.name)); };
  if (auto fits = check(header, info, form); !fits) return stop(std::move(fits).error());
  auto range = tensorRange(info, totalSize);
  if (!range) return stop(std::move(range).error());
  const std::vector<uint64_t> shape = shapeOf(info, ShapeOrientation::OUT_IN);
  if (form.encoding == LoadEncoding::DEQUANTIZE) {
    auto stream = DequantizeStream::start(*info.encoding, shape, scope, sink);
    if (!stream) return stop(std::move(stream).error());
    return TensorLoad(std::move(stream).value(), info, form, *range, sink);
  }
  const BlockOrder order =
      form.order == LoadOrder::KERNEL_FEED ? BlockOrder::INPUT_BLOCK_MAJOR : BlockOrder::ROW_MAJOR;
  auto stream = PrepackStream::start(*info.encoding, shape, order, scope, sink);
  if (!stream) return stop(std::move(stream).error());
  return TensorLoad(std::move(stream).value(), info, form, *range, sink);
}

Status TensorLoad::accept(Bytes window) {
  auto done = std::visit([&](auto& stream) { return stream.accept(window); }, stream_);
  if (!done) return refused(sink_, named(std::move(done).error(), name_));
  return done;
}

void TensorLoad::tellLabel() const {
  if (!sink_ || stored_.size() < 2) return;
  TraceEvent event;
  event.kind = TraceKind::LabelReversed;
  event.what = name_;
  event.from = labelText(stored_);
  event.to = labelText(outIn_);
  event.reason = "the file's ne order is fastest first; no byte changed";
  event.startNanos = nowNanos();
  sink_->record(event);
}

Result<TensorView> TensorLoad::finish() {
  auto view = std::visit([](auto& stream) { return stream.finish(); }, stream_);
  if (!view) return refused(sink_, named(std::move(view).error(), name_));
  if (form_.shape == ShapeOrientation::OUT_IN) {
    tellLabel();
    return view;
  }
  return stored_.size() < 2 ? view : view->transpose();
}

}  // namespace packed
