// Runs one kernel and the scalar specification on the same operands.
#pragma once

#include <bit>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "kernels/kernel_info.h"
#include "kernels/matmul/scalar.h"

namespace packed {

// Scratch memory as the dispatcher hands it out: aligned, exactly as large as asked for, full of
// rubbish.
struct Scratch {
  explicit Scratch(uint64_t size) : bytes(size + 16, 0xa5) {
    const auto at = reinterpret_cast<std::uintptr_t>(bytes.data());
    start = bytes.data() + (16 - at % 16) % 16;
  }
  std::vector<uint8_t> bytes;
  uint8_t* start;
};

inline std::vector<float> runKernel(const KernelInfo& kernel, MatmulCall call) {
  const MatmulShape shape = {call.grid.out, call.inputDim, call.columns};
  Scratch scratch(kernel.workspaceBytes(shape));
  std::vector<float> y(call.grid.out * call.columns, -77.0f);
  call.y = y.data();
  call.workspace = scratch.start;
  kernel.run(call);
  return y;
}

inline std::vector<float> runScalar(const KernelInfo& kernel, MatmulCall call) {
  const MatmulShape shape = {call.grid.out, call.inputDim, call.columns};
  std::vector<float> y(call.grid.out * call.columns);
  call.y = y.data();
  if (kernel.activation == Activation::INT8) {
    Scratch scratch(scalarWorkspaceInt8(kernel.encoding, shape));
    call.workspace = scratch.start;
    scalarMatmulInt8(kernel.encoding, kernel.order, call);
  } else {
    scalarMatmulF32(kernel.encoding, kernel.order, call);
  }
  return y;
}

// Index of the first value whose bits differ, or -1. NaN equals NaN: its payload is the machine's
// affair.
inline int64_t firstDifference(const std::vector<float>& a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != a[i] && b[i] != b[i]) continue;
    if (std::bit_cast<uint32_t>(a[i]) != std::bit_cast<uint32_t>(b[i])) return int64_t(i);
  }
  return -1;
}

// A weight and activations of exactly the bytes that a kernel may touch.
struct Operands {
  std::vector<uint8_t> blocks;
  std::vector<float> x;
  MatmulCall call;

  void point() {
    call.blocks = blocks.data();
    call.x = x.data();
  }
};

inline Operands randomOperands(const KernelInfo& kernel, BlockGrid grid, uint64_t columns,
                               uint32_t seed) {
  std::mt19937 random(seed);
  const EncodingSpec& spec = specOf(kernel.encoding);
  Operands operands;
  operands.blocks.resize(grid.out * grid.blocksPerRow * spec.bytes);
  for (uint8_t& byte : operands.blocks) byte = uint8_t(random());
  operands.call.grid = grid;
  operands.call.strides = stridesOf(kernel.order, grid);
  operands.call.inputDim = grid.blocksPerRow * spec.elements;
  operands.call.columns = columns;
  std::normal_distribution<float> normal;
  operands.x.resize(operands.call.inputDim * columns);
  for (float& value : operands.x) value = normal(random);
  operands.point();
  return operands;
}

}  // namespace packed
