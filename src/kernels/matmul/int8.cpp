#include "kernels/matmul/int8.h"

#include "kernels/kernel_info.h"

namespace packed {
namespace {

bool accelerators = true;

}  // namespace

void useAccelerators(bool theyHaveCome) { accelerators = theyHaveCome; }
bool acceleratorsAreUsed() { return accelerators; }

}  // namespace packed

#if defined(PACKED_SIMD)

#include <algorithm>
#include <cstring>

#include "base/faster_way.h"
#include "kernels/matmul/scalar.h"

namespace packed {
namespace {

// Rows of a row-major weight that pass by one block of x: enough to share its loading, few enough
// for what comes next in each of them to be fetched ahead.
constexpr uint64_t kTileRows = 16;

PackedColumn columnOf(const ActivationPlan& plan, const uint8_t* scratch, uint64_t column,
                      int zeroPoint) {
  const uint64_t values = plan.blocks * plan.needs.elements;
  const uint64_t width = plan.needs.form == ActivationForm::SPLIT ? 2 : 1;
  PackedColumn x;
  x.x = scratch + plan.x + column * values * width;
  x.d = reinterpret_cast<const float*>(scratch + plan.scales) + column * plan.blocks;
  x.sums = reinterpret_cast<const int16_t*>(scratch + plan.sums) +
           column * plan.blocks * plan.needs.groups;
  x.zeroPoint = zeroPoint;
  return x;
}

bool takesGemm(const Int8Kernel& kernel, uint64_t columns) {
  return !kernel.rows[0] || columns >= kernel.gemmColumns;
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
  const uint64_t tile = order == BlockOrder::ROW_MAJOR ? kTileRows : out;
  const bool mayBring = order == BlockOrder::ROW_MAJOR;
  // What is worth its time differs by how much there is to do with what was brought.
  thread_local FasterWays bringing[2][3];  // small and large blocks; columns
  for (uint64_t c = 0, count = 0; c < call.columns; c += count) {
    count = accelerators ? std::min<uint64_t>(call.columns - c, 3) : 1;
    while (!kernel.rows[count - 1]) --count;
    PackedColumn x[3];
    float* y[3];
    for (uint64_t k = 0; k < count; ++k) {
      packColumn(plan, call.workspace, c + k);
      x[k] = columnOf(plan, call.workspace, c + k, kernel.zeroPoint);
      y[k] = reinterpret_cast<float*>(call.workspace + plan.y) + (c + k) * plan.paddedRows;
      std::fill_n(y[k], plan.paddedRows, 0.0f);
    }
    bool bounded = true;
    const auto multiply = [&](uint64_t from, uint64_t end, bool bring) {
      for (uint64_t o = from, rowCount = 0; bounded && o < end; o += rowCount) {
        rowCount = rowsInFours(end - o, tile);
        const WeightRows rows = {call.blocks + call.strides.at(o, 0) * blockBytes, rowCount,
                                 call.grid.blocksPerRow, call.strides.row * blockBytes,
                                 call.strides.block * blockBytes};
        if (bring) bringRows(rows);
        float* to[3];
        for (uint64_t k = 0; k < count; ++k) to[k] = y[k] + o;
        bounded = kernel.rows[count - 1](rows, x, to);
      }
    };
    bringing[kernel.needs.elements == 256][count - 1]
        .forWeight(out * call.grid.blocksPerRow * blockBytes)
        .walk(out, call.grid.blocksPerRow * blockBytes, mayBring, multiply);
    // Scales that are infinite or NaN: a damaged weight, for which the specification is fast
    // enough.
    if (!bounded) return scalarMatmulInt8(kernel.gemm.encoding, order, call);
    for (uint64_t k = 0; k < count; ++k) {
      std::memcpy(call.y + (c + k) * out, y[k], static_cast<std::size_t>(out * sizeof(float)));
    }
  }
}

}  // namespace packed

#endif  // PACKED_SIMD
