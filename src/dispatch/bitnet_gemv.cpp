#include "dispatch/bitnet_gemv.h"

#include "base/clock.h"
#include "kernels/matmul/activation.h"
#include "kernels/ternary/ternary.h"

namespace packed {
namespace {

Error notOneVector(uint64_t x, uint64_t y, uint64_t out, uint64_t inputDim) {
  return refuse(ErrorCode::SHAPE_MISMATCH, "bitnetGemv of a [", out, ", ", inputDim,
                "] weight takes ", inputDim, " values and gives ", out, ", not ", x, " and ", y,
                "; for several vectors at a time use matmul")
      .wanted(joined(inputDim, " and ", out), joined(x, " and ", y));
}

}  // namespace

Status bitnetGemv(const Registry& registry, Workspace& workspace, std::span<const float> x,
                  const TensorView& w, std::span<float> y, const MatmulOptions& options) {
  if (w.encoding() != Encoding::TQ1_0 && w.encoding() != Encoding::TQ2_0) {
    return refused(options.sink,
                   refuse(ErrorCode::UNSUPPORTED_ENCODING, "bitnetGemv of ", nameOf(w.encoding()),
                          ", which is not ternary; use matmul"));
  }
  const uint64_t out = w.rank() == 2 ? w.shape()[0] : 1;
  if (w.rank() <= 2 && (x.size() != w.shape().back() || y.size() != out)) {
    return refused(options.sink, notOneVector(x.size(), y.size(), out, w.shape().back()));
  }
  return matmul(registry, workspace, x, w, y, options);
}

Status bitnetGemv(std::span<const float> x, const TernaryWeight& w, std::span<float> y,
                  const MatmulOptions& options) {
  if (x.size() != w.inputDim() || y.size() != w.out()) {
    return refused(options.sink, notOneVector(x.size(), y.size(), w.out(), w.inputDim()));
  }
  if (options.activation == Activation::INT8) {
    if (const uint64_t bad = firstNotFinite(x.data(), x.size()); bad < x.size()) {
      return refused(
          options.sink,
          refuse(ErrorCode::ELEMENT_NOT_FINITE, "x[", bad,
                 "] is NaN or infinite and cannot be rounded to int8; mend the input, or use "
                 "activation f32, which carries it through")
              .at(bad));
    }
  }
  auto codes = w.codes();
  if (!codes) return refused(options.sink, std::move(codes).error());
  PACKED_TRY(scale, w.scale());
  const BlockGrid grid = {w.storedRows(), w.inputDim() / kTernaryChunk};
  TernaryCall call;
  call.codes = codes->data();
  call.scale = scale;
  call.out = w.out();
  call.inputDim = w.inputDim();
  call.order = w.order();
  if (w.order() == BlockOrder::ROW_MAJOR) {
    call.firstCode = w.firstRow() * w.inputDim();
  } else {
    call.strides = stridesOf(w.order(), grid);
    call.codes += flatIndex(w.order(), grid, w.firstRow(), 0) * kTernaryChunkBytes;
  }
  call.x = x.data();
  call.y = y.data();
  const uint64_t start = options.sink ? nowNanos() : 0;
  ternaryGemv(options.activation, call);
  if (options.sink) {
    const std::string_view order = w.order() == BlockOrder::ROW_MAJOR ? "row_major" : "input_major";
    TraceEvent event;
    event.kind = TraceKind::KernelRun;
    event.what =
        joined("bitnet_gemv_", nameOf(options.activation), "_bitnet_b1_58_", order, "_scalar");
    event.target =
        joined("bitnet_gemv(F32 contiguous", options.activation == Activation::INT8 ? " int8" : "",
               " x F32/BITNET_B1_58 blocked_", order, ") @scalar");
    event.bytesRead = w.packedSize();
    event.bytesWritten = y.size_bytes();
    event.startNanos = start;
    event.nanos = nowNanos() - start;
    options.sink->record(event);
  }
  return Done{};
}

}  // namespace packed
