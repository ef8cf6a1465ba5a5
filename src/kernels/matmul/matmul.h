// matmul: y = x * transpose(w), the primitive that ggml calls mul_mat. Kernels take pointers, sizes
// and strides; views, scopes and events are the business of the floors above.
//
//   w  [out, in]      packed blocks, block (o, b) at blocks + strides.at(o, b) * bytes
//   x  [columns, in]  f32, row-major
//   y  [columns, out] f32, row-major, overwritten
//
// The numbers are fixed, so that every kernel of an encoding gives the same bits in either order,
// in any instruction set and with any number of columns (kernels that keep the promise say so:
// kernel_info.h).
//
// Activation::F32, "exact": every weight is decoded to f32 as the reference decoder does and
// multiplied by its x. A block (for PLAIN encodings: 32 values of the row) is summed in four lanes,
// then across them:
//
//   lane[i % 4] += w[i] * x[i]                       i ascending, lanes start at 0
//   y += (lane[0] + lane[2]) + (lane[1] + lane[3])   blocks ascending, y starts at 0
//
// Activation::INT8: x is rounded to int8 once per block (activation.h), dot products are exact in
// integers and each block ends in one multiply and add, blocks ascending (block_parts.h for the
// names):
//
//   y += float(sum over g: scales[g] * sum over i in g: codes[i] * q[i]) * (d * dx)
//   y -= dmin * (dx * float(sum over g: mins[g] * sum over i in g: q[i]))
//
// The second line is only for formats with a minimum. NVFP4, with a float scale per sub-block, has
// the first line once per sub-block, ascending.
//
// No operation is fused. Error of INT8 against F32: at most absmax(x in block) / 254 per product,
// below 1 % relative RMS on normally distributed data.
#pragma once

#include <cstdint>
#include <string_view>

#include "layout/block_order.h"

namespace packed {

enum class Activation : uint8_t { F32, INT8 };

constexpr std::string_view nameOf(Activation activation) {
  return activation == Activation::F32 ? "f32" : "int8";
}

struct MatmulShape {
  uint64_t out = 0;
  uint64_t inputDim = 0;
  uint64_t columns = 0;
};

struct MatmulCall {
  const uint8_t* blocks = nullptr;
  BlockGrid grid;
  GridStrides strides;  // in blocks
  uint64_t inputDim = 0;
  const float* x = nullptr;
  uint64_t columns = 0;
  float* y = nullptr;
  // As many bytes as KernelInfo::workspaceBytes asked for, 16-aligned.
  uint8_t* workspace = nullptr;
};

}  // namespace packed
