#include <algorithm>

#include "kernels/matmul/activation.h"
#include "kernels/matmul/lanes.h"
#include "kernels/ternary/ternary.h"

namespace packed {
namespace {

// The codes of chunk c of row o, `count` of them, as -1, 0, +1.
void unpackChunk(const TernaryCall& call, uint64_t o, uint64_t c, uint64_t count, int8_t* to) {
  const uint64_t first = call.order == BlockOrder::ROW_MAJOR
                             ? call.firstCode + o * call.inputDim + c * kTernaryChunk
                             : call.strides.at(o, c) * kTernaryChunk;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t pair = first + i;
    to[i] = static_cast<int8_t>((call.codes[pair / 4] >> (pair % 4 * 2) & 3) - 1);
  }
}

float chunkF32(const int8_t* codes, float scale, const float* x, uint64_t count) {
  float w[kTernaryChunk];
  for (uint64_t i = 0; i < count; ++i) w[i] = scale * static_cast<float>(codes[i]);
  return sumInLanes(w, x, count);
}

float chunkInt8(const int8_t* codes, float scale, const int8_t* q, float d, uint64_t count) {
  int32_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += codes[i] * q[i];
  return static_cast<float>(sum) * (scale * d);
}

}  // namespace

void ternaryGemv(Activation activation, const TernaryCall& call) {
  std::fill_n(call.y, call.out, 0.0f);
  int8_t codes[kTernaryChunk];
  int8_t q[kTernaryChunk];
  // Chunk by chunk, so that each part of x is rounded once and no memory is needed for all of it.
  for (uint64_t c = 0; c * kTernaryChunk < call.inputDim; ++c) {
    const float* x = call.x + c * kTernaryChunk;
    const uint64_t count = std::min<uint64_t>(kTernaryChunk, call.inputDim - c * kTernaryChunk);
    const float d = activation == Activation::INT8
                        ? quantizeActivationBlock(x, static_cast<uint32_t>(count), q)
                        : 0;
    for (uint64_t o = 0; o < call.out; ++o) {
      unpackChunk(call, o, c, count, codes);
      call.y[o] += activation == Activation::INT8 ? chunkInt8(codes, call.scale, q, d, count)
                                                  : chunkF32(codes, call.scale, x, count);
    }
  }
}

}  // namespace packed
