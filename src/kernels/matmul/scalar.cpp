#include "kernels/matmul/scalar.h"

#include <algorithm>

#include "encoding/codec.h"
#include "kernels/matmul/activation.h"
#include "kernels/matmul/lanes.h"

namespace packed {
namespace {

// What one block adds to one y under Activation::INT8 (the formula in matmul.h).
void addBlock(const EncodingSpec& spec, const BlockParts& parts, const int8_t* q, float dx,
              float& y) {
  const uint32_t groups = spec.elements / spec.group;
  int32_t sum = 0;
  int32_t minimum = 0;
  for (uint32_t g = 0; g < groups; ++g) {
    int32_t dot = 0;
    int32_t total = 0;
    for (uint32_t i = g * spec.group; i < (g + 1) * spec.group; ++i) {
      dot += parts.codes[i] * q[i];
      total += q[i];
    }
    if (hasFloatScalePerGroup(spec.encoding)) {
      y += static_cast<float>(dot) * (parts.d[g] * dx);
    }
    sum += parts.scales[g] * dot;
    minimum += parts.mins[g] * total;
  }
  if (!hasFloatScalePerGroup(spec.encoding)) y += static_cast<float>(sum) * (parts.d[0] * dx);
  if (hasMinimum(spec.encoding)) y -= parts.dmin * (dx * static_cast<float>(minimum));
}

// Calls visit(o, b) for every block of a grid in the sequence in which `order` holds them.
template <class Visit>
void forEachBlock(BlockOrder order, BlockGrid grid, Visit visit) {
  if (grid.out == 0 || grid.blocksPerRow == 0) return;
  for (uint64_t flat = 0; flat < grid.out * grid.blocksPerRow; ++flat) {
    const BlockAt at = blockAt(order, grid, flat);
    visit(at.o, at.b);
  }
}

}  // namespace

void scalarMatmulF32(Encoding encoding, BlockOrder order, const MatmulCall& call) {
  const EncodingSpec& spec = specOf(encoding);
  const uint64_t out = call.grid.out;
  // A PLAIN row is summed in chunks, as if it had blocks.
  const uint32_t chunk = spec.blocked() ? spec.elements : kPlainChunk;
  const uint32_t blocksPerChunk = chunk / spec.elements;
  const BlockGrid chunks = {out, (call.grid.blocksPerRow + blocksPerChunk - 1) / blocksPerChunk};
  std::fill_n(call.y, call.columns * out, 0.0f);
  float w[kMaxBlockElements];
  forEachBlock(order, chunks, [&](uint64_t o, uint64_t c) {
    const uint64_t first = c * blocksPerChunk;
    const uint64_t count = std::min<uint64_t>(blocksPerChunk, call.grid.blocksPerRow - first);
    for (uint64_t i = 0; i < count; ++i) {
      const uint8_t* block = call.blocks + call.strides.at(o, first + i) * spec.bytes;
      decodeBlocks(encoding, block, 1, w + i * spec.elements);
    }
    for (uint64_t n = 0; n < call.columns; ++n) {
      const float* x = call.x + n * call.inputDim + first * spec.elements;
      call.y[n * out + o] += sumInLanes(w, x, count * spec.elements);
    }
  });
}

void scalarMatmulInt8(Encoding encoding, BlockOrder order, const MatmulCall& call) {
  const EncodingSpec& spec = specOf(encoding);
  const UnpackBlock unpack = unpackerOf(encoding);
  const uint64_t out = call.grid.out;
  const uint64_t blocks = call.grid.blocksPerRow;
  const auto q = QuantizedActivations::over(call.workspace, call.columns, blocks, spec.elements);
  quantizeActivations(call.x, call.columns, blocks, spec.elements, q);
  std::fill_n(call.y, call.columns * out, 0.0f);
  BlockParts parts;
  forEachBlock(order, call.grid, [&](uint64_t o, uint64_t b) {
    unpack(call.blocks + call.strides.at(o, b) * spec.bytes, parts);
    for (uint64_t n = 0; n < call.columns; ++n) {
      const uint64_t block = n * blocks + b;
      addBlock(spec, parts, q.codes + block * spec.elements, q.d[block], call.y[n * out + o]);
    }
  });
}

uint64_t scalarWorkspaceInt8(Encoding encoding, const MatmulShape& shape) {
  const uint32_t elements = specOf(encoding).elements;
  return QuantizedActivations::bytes(shape.columns, shape.inputDim / elements, elements);
}

void referenceMatmul(Encoding encoding, const MatmulCall& call) {
  scalarMatmulF32(encoding, BlockOrder::ROW_MAJOR, call);
}

}  // namespace packed
