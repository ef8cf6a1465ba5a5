// The scalar kernels are what all others are compared with, so they are compared with something
// that knows neither blocks nor lanes: products of decoded values in double, and the int8 formula
// of matmul.h written down a second time over values and not over integers.
#include "kernels/matmul/scalar.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "encoding/codec.h"
#include "kernels/matmul/activation.h"
#include "support/golden.h"
#include "support/oracle.h"

namespace packed {
namespace {

using namespace oracle;
constexpr BlockOrder kOrders[] = {BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR};

std::vector<float> run(Encoding encoding, Activation activation, BlockOrder order, BlockGrid grid,
                       const std::vector<uint8_t>& blocks, const std::vector<float>& x) {
  const EncodingSpec& spec = specOf(encoding);
  MatmulCall call;
  call.blocks = blocks.data();
  call.grid = grid;
  call.strides = stridesOf(order, grid);
  call.inputDim = grid.blocksPerRow * spec.elements;
  call.x = x.data();
  call.columns = x.size() / call.inputDim;
  std::vector<float> y(call.columns * grid.out, 999.0f);
  call.y = y.data();
  std::vector<uint64_t> scratch(
      scalarWorkspaceInt8(encoding, {grid.out, call.inputDim, call.columns}) / 8 + 2);
  auto* memory = reinterpret_cast<uint8_t*>(scratch.data());
  call.workspace = memory + (16 - reinterpret_cast<uintptr_t>(memory) % 16) % 16;
  if (activation == Activation::INT8) {
    scalarMatmulInt8(encoding, order, call);
  } else {
    scalarMatmulF32(encoding, order, call);
  }
  return y;
}

double relativeError(const std::vector<float>& y, const std::vector<double>& expected) {
  double error = 0, signal = 1e-30;
  for (std::size_t i = 0; i < y.size(); ++i) {
    error += (y[i] - expected[i]) * (y[i] - expected[i]);
    signal += expected[i] * expected[i];
  }
  return std::sqrt(error / signal);
}

// x as int8 stands for it: rounded block by block, multiplied back.
std::vector<float> roundedBack(const std::vector<float>& x, uint32_t elements) {
  std::vector<float> back;
  for (std::size_t from = 0; from < x.size(); from += elements) {
    float absmax = 0;
    for (uint32_t i = 0; i < elements; ++i) absmax = std::max(absmax, std::fabs(x[from + i]));
    const float d = absmax / 127;
    for (uint32_t i = 0; i < elements; ++i) {
      back.push_back(d == 0 ? 0 : d * float(std::lrintf(x[from + i] / d)));
    }
  }
  return back;
}

}  // namespace

TEST_CASE("scalar: the reference implementation's products of the golden weights are met") {
  for (const golden::Entry& entry : golden::entries()) {
    CAPTURE(nameOf(entry.encoding));
    const auto blocks = golden::bytes(entry.encoding, "quantized.bin");
    const auto x = golden::floats(entry.encoding, "x.f32");
    const auto expected = golden::floats(entry.encoding, "y.f32");
    const BlockGrid grid = {golden::kRows, golden::kBlocksPerRow};
    const std::vector<double> wide(expected.begin(), expected.end());
    for (const BlockOrder order : kOrders) {
      const auto ordered = inOrder(blocks, 1, grid, specOf(entry.encoding).bytes, order);
      const auto exact = run(entry.encoding, Activation::F32, order, grid, ordered, x);
      CHECK(relativeError(exact, wide) < 1e-5);
    }
  }
}

TEST_CASE("scalar: f32 is the product of decoded values, whatever the number of rows and columns") {
  for (const EncodingSpec& spec : allEncodings()) {
    CAPTURE(spec.name);
    for (const uint64_t out : {1u, 2u, 7u}) {
      for (const uint64_t columns : {1u, 3u}) {
        const BlockGrid grid = {out, spec.blocked() ? 2u : 37u};
        const uint64_t in = grid.blocksPerRow * spec.elements;
        const auto blocks = realBlocks(spec.encoding, out * grid.blocksPerRow, 5);
        const auto x = randomFloats(columns * in, 6);
        const auto expected = matmul(x, decoded(spec.encoding, {out, in}, blocks));
        const auto y = run(spec.encoding, Activation::F32, BlockOrder::ROW_MAJOR, grid, blocks, x);
        CHECK(relativeError(y, expected) < 1e-5);
        const auto other = inOrder(blocks, 1, grid, spec.bytes, BlockOrder::INPUT_BLOCK_MAJOR);
        CHECK(sameBits(
            run(spec.encoding, Activation::F32, BlockOrder::INPUT_BLOCK_MAJOR, grid, other, x), y));
      }
    }
  }
}

TEST_CASE("scalar: int8 is the product with the rounded activations, to the precision of f32") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked()) continue;
    CAPTURE(spec.name);
    const BlockGrid grid = {5, 3};
    const uint64_t in = grid.blocksPerRow * spec.elements;
    const auto blocks = realBlocks(spec.encoding, 15, 5);
    const auto x = randomFloats(2 * in, 6);
    const auto rounded = roundedBack(x, spec.elements);
    const auto expected = matmul(rounded, decoded(spec.encoding, {5, in}, blocks));
    for (const BlockOrder order : kOrders) {
      const auto ordered = inOrder(blocks, 1, grid, spec.bytes, order);
      CHECK(relativeError(run(spec.encoding, Activation::INT8, order, grid, ordered, x), expected) <
            1e-5);
    }
  }
}

TEST_CASE("scalar: int8 stays within 1 % of the signal on normally distributed input") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked()) continue;
    CAPTURE(spec.name);
    const BlockGrid grid = {32, 512 / spec.elements * 2};
    const uint64_t in = grid.blocksPerRow * spec.elements;
    const auto blocks = realBlocks(spec.encoding, 32 * grid.blocksPerRow, 5);
    const auto x = randomFloats(4 * in, 6);
    const auto expected = matmul(x, decoded(spec.encoding, {32, in}, blocks));
    CHECK(
        relativeError(run(spec.encoding, Activation::INT8, BlockOrder::ROW_MAJOR, grid, blocks, x),
                      expected) < 0.01);
  }
}

TEST_CASE("activation: rounds to nearest, ties to even, and keeps the extremes at 127") {
  float x[32] = {127.0f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 126.5f, -127.0f, 0.49f};
  int8_t q[32];
  CHECK(quantizeActivationBlock(x, 32, q) == 1.0f);
  const int8_t expected[] = {127, 0, 2, 2, 0, -2, -2, 126, -127, 0};
  for (int i = 0; i < 10; ++i) CHECK(q[i] == expected[i]);
}

TEST_CASE("activation: zeros and values too small for a scale round to zero") {
  float x[32] = {};
  int8_t q[32];
  std::memset(q, 1, sizeof q);
  CHECK(quantizeActivationBlock(x, 32, q) == 0.0f);
  for (const int8_t code : q) CHECK(code == 0);
  x[3] = 1e-45f;
  CHECK(quantizeActivationBlock(x, 32, q) == 0.0f);
  x[3] = 2.66e-43f;  // 190 of the smallest float; d is one of them
  quantizeActivationBlock(x, 32, q);
  CHECK(q[3] == 127);
}

TEST_CASE("activation: the first NaN or infinity is found wherever it stands") {
  std::vector<float> x(70, 1.0f);
  CHECK(firstNotFinite(x.data(), x.size()) == 70);
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      auto marked = x;
      marked[i] = bad;
      marked[69] = bad;
      CHECK(firstNotFinite(marked.data(), marked.size()) == i);
    }
  }
}

}  // namespace packed
