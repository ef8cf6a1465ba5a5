#include "dispatch/matmul.h"

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "encoding/codec.h"
#include "kernels/matmul/activation.h"

namespace packed {
namespace {

Error transposeRefused(const TensorView& view) {
  return refuse(ErrorCode::TRANSPOSE_REFUSED, "a ", nameOf(view.encoding()),
                " weight cannot be transposed: its blocks run along the input, and runs along the "
                "other axis would have to be requantized; leave it as [out, in] and call "
                "matmulWeightTransposed(x, weight), which computes x times its transpose");
}

Status check(const TensorView& w, std::span<const float> x, std::span<float> y,
             Activation activation) {
  if (w.rank() > 2) {
    return refuse(ErrorCode::RANK_UNSUPPORTED, "matmul of a weight of rank ", w.rank(),
                  "; multiply by one slice of the stack at a time");
  }
  if (w.layout().axesSwapped() && specOf(w.encoding()).blocked()) return transposeRefused(w);
  if (!decodable(w.encoding())) {
    return refuse(ErrorCode::UNSUPPORTED_ENCODING, "no decoder for ", nameOf(w.encoding()));
  }
  const uint64_t in = w.shape().back();
  const uint64_t out = w.rank() == 2 ? w.shape()[0] : 1;
  const bool whole = in == 0 ? x.empty() : x.size() % in == 0;
  const uint64_t columns = in == 0 ? (out == 0 ? 0 : y.size() / out) : x.size() / in;
  if (!whole) {
    return refuse(ErrorCode::SHAPE_MISMATCH, "x has ", x.size(),
                  " values, which are not whole rows of the weight's input dimension ", in)
        .wanted(joined("a multiple of ", in), joined(x.size()));
  }
  if (y.size() != columns * out) {
    return refuse(ErrorCode::SHAPE_MISMATCH, "y has room for ", y.size(), " values where ", columns,
                  " x ", out, " are written")
        .wanted(joined(columns * out), joined(y.size()));
  }
  if (activation == Activation::INT8) {
    const uint64_t bad = firstNotFinite(x.data(), x.size());
    if (bad < x.size()) {
      return refuse(ErrorCode::ELEMENT_NOT_FINITE, "x[", bad,
                    "] is NaN or infinite and cannot be rounded to int8; mend the input, or use "
                    "activation f32, which carries it through")
          .at(bad);
    }
  }
  return Done{};
}

void tellReference(TraceSink* sink, const KernelKey& key, const Registry::Nearest& nearest) {
  if (!sink) return;
  TraceEvent event;
  event.kind = TraceKind::ReferenceUsed;
  event.what = "matmul_reference";
  event.target = key.text();
  event.reason = nearest.kernel ? joined("no kernel for ", key.text(), "; the nearest is ",
                                         nearest.kernel->name, ", whose ", nearest.difference)
                                : joined("no kernel is registered for ", key.text());
  event.startNanos = nowNanos();
  sink->record(event);
}

}  // namespace

Result<TensorView> transpose(const TensorView& view, TraceSink* sink) {
  if (specOf(view.encoding()).blocked()) return refused(sink, transposeRefused(view));
  return view.transpose();
}

Status matmul(const Registry& registry, Workspace& workspace, std::span<const float> x,
              const TensorView& given, std::span<float> y, const MatmulOptions& options) {
  if (auto fits = check(given, x, y, options.activation); !fits) {
    return refused(options.sink, std::move(fits).error());
  }
  if (y.empty()) return Done{};

  TensorView w = given;
  std::optional<Scope> own;
  const KernelInfo* kernel = registry.find(w, options.activation);
  if (!kernel && options.prepackWeights && !w.layout().axesSwapped()) {
    const BlockOrder other = otherOrder(w.order());
    kernel = registry.find(w.encoding(), other, options.activation);
    if (kernel) {
      Scope& scope = options.scope ? *options.scope : own.emplace("matmul", options.sink);
      PACKED_TRY(relaid, prepack(w, other, scope, options.sink));
      w = relaid;
    }
  }

  auto bytes = w.storage()->bytes();
  if (!bytes) return refused(options.sink, std::move(bytes).error());
  const uint32_t blockBytes = specOf(w.encoding()).bytes;
  MatmulCall call;
  call.grid = w.layout().grid();
  call.strides = w.layout().strides();
  if (w.layout().axesSwapped()) {  // a plain value: every element is a block, so the axes can be read so
    call.grid = {call.grid.blocksPerRow, call.grid.out};
    call.strides = {call.strides.block, call.strides.row};
  }
  call.blocks = bytes->data() + w.layout().placeOf(0, 0, 0) * blockBytes;
  call.inputDim = w.shape().back();
  call.x = x.data();
  call.columns = y.size() / call.grid.out;
  call.y = y.data();
  if (call.inputDim == 0) {
    std::fill(y.begin(), y.end(), 0.0f);
    return Done{};
  }

  if (kernel) {
    const MatmulShape shape = {call.grid.out, call.inputDim, call.columns};
    auto scratch = workspace.reserve(kernel->workspaceBytes(shape));
    if (!scratch) return refused(options.sink, std::move(scratch).error());
    call.workspace = *scratch;
  } else {
    KernelKey key;
    key.w = {w.encoding(), layoutClassOf(w)};
    key.activation = options.activation;
    tellReference(options.sink, key, registry.nearest(w, options.activation));
  }
  const uint64_t start = options.sink ? nowNanos() : 0;
  if (kernel) {
    kernel->run(call);
  } else {
    referenceMatmul(w.encoding(), call);
  }
  if (options.sink) {
    TraceEvent event;
    event.kind = TraceKind::KernelRun;
    event.what = kernel ? kernel->name : "matmul_reference";
    event.bytesRead = w.packedSize();
    event.bytesWritten = y.size() * sizeof(float);
    event.startNanos = start;
    event.nanos = nowNanos() - start;
    options.sink->record(event);
  }
  return Done{};
}

}  // namespace packed
