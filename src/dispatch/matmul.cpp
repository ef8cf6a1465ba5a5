#include "dispatch/matmul.h"

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "dispatch/explain.h"
#include "dispatch/operands.h"

namespace packed {
namespace {

// The weight as it will be read, and by what; no kernel means the reference.
struct Plan {
  TensorView w;
  const KernelInfo* kernel = nullptr;
};

// The arrangement of the blocks of `w` that a better kernel than `current` is written for.
std::optional<BlockOrder> betterOrder(const Registry& registry, const TensorView& w,
                                      const KernelInfo* current, Activation activation) {
  const bool holes = !w.layout().gapFree();
  std::optional<BlockOrder> best;
  for (const BlockOrder order : {otherOrder(w.order()), w.order()}) {
    if (order == w.order() && !holes) continue;  // it lies so already
    const KernelInfo* candidate = registry.find(w.encoding(), order, activation);
    if (!candidate || (current && candidate->isa <= current->isa)) continue;
    current = candidate;
    best = order;
  }
  return best;
}

Result<Plan> planFor(const Registry& registry, const TensorView& w, const MatmulOptions& options,
                     std::optional<Scope>& own) {
  Plan plan = {w, registry.find(w, options.activation)};
  const bool exact = plan.kernel && w.layout().gapFree();
  if (exact || !options.prepackWeights || w.layout().axesSwapped()) return plan;
  const auto order = betterOrder(registry, w, plan.kernel, options.activation);
  if (!order) return plan;
  Scope& scope = options.scope ? *options.scope : own.emplace("matmul", options.sink);
  auto relaid = *order == w.order() ? compact(w, scope, options.sink)
                                    : prepack(w, *order, scope, options.sink);
  if (!relaid) return std::move(relaid).error();
  return Plan{*relaid, registry.find(w.encoding(), *order, options.activation)};
}

MatmulCall callFor(const TensorView& w, Bytes bytes) {
  MatmulCall call;
  call.grid = w.layout().grid();
  call.strides = w.layout().strides();
  // Every value of a plain encoding is a block, so its axes can be read either way round.
  if (w.layout().axesSwapped()) {
    call.grid = {call.grid.blocksPerRow, call.grid.out};
    call.strides = {call.strides.block, call.strides.row};
  }
  call.blocks = bytes.data() + w.layout().placeOf(0, 0, 0) * specOf(w.encoding()).bytes;
  return call;
}

void tell(TraceSink* sink, TraceKind kind, std::string_view what, const KernelKey& key,
          std::string_view reason, uint64_t start, uint64_t read, uint64_t written) {
  if (!sink) return;
  TraceEvent event;
  event.kind = kind;
  event.what = what;
  event.target = key.text();
  event.reason = reason;
  event.bytesRead = read;
  event.bytesWritten = written;
  event.startNanos = start;
  event.nanos = kind == TraceKind::KernelRun ? nowNanos() - start : 0;
  sink->record(event);
}

}  // namespace

Result<TensorView> transpose(const TensorView& view, TraceSink* sink) {
  if (specOf(view.encoding()).blocked()) return refused(sink, transposeRefused(view));
  return view.transpose();
}

Status matmul(const Registry& registry, Workspace& workspace, std::span<const float> x,
              const TensorView& w, std::span<float> y, const MatmulOptions& options) {
  TraceSink* sink = options.sink;
  auto shape = checkOperands(x, w, y, options.activation);
  if (!shape) return refused(sink, std::move(shape).error());
  if (shape->inputDim == 0 || y.empty()) {
    std::fill(y.begin(), y.end(), 0.0f);
    return Done{};
  }

  std::optional<Scope> own;
  PACKED_TRY(plan, planFor(registry, w, options, own));
  auto bytes = plan.w.storageBytes();
  if (!bytes) return refused(sink, std::move(bytes).error());
  MatmulCall call = callFor(plan.w, *bytes);
  call.inputDim = shape->inputDim;
  call.columns = shape->columns;
  call.x = x.data();
  call.y = y.data();
  if (plan.kernel) {
    auto scratch = workspace.reserve(plan.kernel->workspaceBytes(*shape));
    if (!scratch) return refused(sink, std::move(scratch).error());
    call.workspace = *scratch;
  }

  const std::string_view name = plan.kernel ? plan.kernel->name : "matmul_reference";
  const uint64_t start = sink ? nowNanos() : 0;
  if (sink && !plan.kernel) {
    const KernelKey key = registry.keyFor(plan.w, options.activation);
    tell(sink, TraceKind::ReferenceUsed, name, key, explain(registry, key).text, start, 0, 0);
  }
  const uint64_t begun = sink ? nowNanos() : 0;
  if (plan.kernel) {
    plan.kernel->run(call);
  } else {
    referenceMatmul(plan.w.encoding(), call);
  }
  if (sink) {
    tell(sink, TraceKind::KernelRun, name, registry.keyFor(plan.w, options.activation), "", begun,
         plan.w.packedSize(), y.size_bytes());
  }
  return Done{};
}

}  // namespace packed
