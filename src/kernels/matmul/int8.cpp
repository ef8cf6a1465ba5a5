#include "kernels/matmul/int8.h"

#if defined(PACKED_SIMD)

#include <algorithm>
#include <cstring>

#include "kernels/matmul/scalar.h"

namespace packed {
namespace {

// Rows of a row-major weight that pass by one block of x: enough to share its loading, few enough
// for their blocks to stay in the cache until the next one.
constexpr uint64_t kTileRows = 128;

bool takesGemm(const Int8Kernel& kernel, uint64_t columns) {
  return !kernel.rows || columns >= kernel.gemmColumns;
}

}  // namespace

uint64_t int8Workspace(const Int8Kernel& kernel, const MatmulShape& shape) {
  if (takesGemm(kernel, shape.columns)) return gemmWorkspace(kernel.gemm, shape);
  return std::max(ActivationPlan::of(kernel.needs, shape, false).bytes,
                  scalarWorkspaceInt8(kernel.gemm.encoding, shape));
}

void runInt8(const Int8Kernel& kernel, BlockOrder order, const MatmulCall& call) {
  if (call.grid.out == 0 || call.columns == 0) return;
  const uint64_t blockBytes = specOf(kernel.gemm.encoding).bytes;
  if (takesGemm(kernel, call.columns)) {
    return gemm(kernel.gemm, call, static_cast<uint32_t>(blockBytes));
  }
  const uint64_t out = call.grid.out;
  const auto plan = ActivationPlan::of(kernel.needs, {out, call.inputDim, call.columns}, false);
  quantizeColumns(plan, call);
  auto* y = reinterpret_cast<float*>(call.workspace + plan.y);
  const uint64_t tile = order == BlockOrder::ROW_MAJOR ? kTileRows : out;
  const uint64_t values = call.inputDim;
  for (uint64_t c = 0; c < call.columns; ++c) {
    packColumn(plan, call.workspace, c);
    PackedColumn x;
    x.x = call.workspace + plan.x;
    if (kernel.needs.form == ActivationForm::NATURAL) x.x += c * values;
    x.d = reinterpret_cast<const float*>(call.workspace + plan.scales) + c * plan.blocks;
    x.sums = reinterpret_cast<const int16_t*>(call.workspace + plan.sums);
    x.zeroPoint = kernel.zeroPoint;
    std::fill_n(y, (out + 3) / 4 * 4, 0.0f);
    for (uint64_t o = 0; o < out; o += tile) {
      const WeightRows rows = {call.blocks + call.strides.at(o, 0) * blockBytes,
                               std::min(tile, out - o), call.grid.blocksPerRow,
                               call.strides.row * blockBytes, call.strides.block * blockBytes};
      if (!kernel.rows(rows, x, y + o)) {
        // Scales that are infinite or NaN: a damaged weight, for which the specification is fast
        // enough.
        return scalarMatmulInt8(kernel.gemm.encoding, order, call);
      }
    }
    std::memcpy(call.y + c * out, y, static_cast<std::size_t>(out * sizeof(float)));
  }
}

}  // namespace packed

#endif  // PACKED_SIMD
