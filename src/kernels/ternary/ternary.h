// Multiplication by BITNET_B1_58: codes of -1, 0, +1 at two bits each and one scale for the whole
// tensor (encoding/i2s.h). The numbers are those of the same weights in TQ2_0 with d = scale, bit
// for bit: 256 values of a row are summed at a time, as matmul.h says for a block.
//
// ROW_MAJOR, codes stand as the values do, rows of any length: code (o, i) is pair o * inputDim +
// i. In INPUT_BLOCK_MAJOR the 64 bytes of each 256 values of a row are moved whole, as blocks of
// the grid out x inputDim / 256.
#pragma once

#include <cstdint>

#include "kernels/matmul/matmul.h"

namespace packed {

inline constexpr uint32_t kTernaryChunk = 256;  // values that are summed together
inline constexpr uint32_t kTernaryChunkBytes = 64;

struct TernaryCall {
  const uint8_t* codes = nullptr;
  uint64_t firstCode = 0;  // pair of (0, 0), for a part of the rows; ROW_MAJOR only
  float scale = 0;
  uint64_t out = 0;
  uint64_t inputDim = 0;
  BlockOrder order = BlockOrder::ROW_MAJOR;
  GridStrides strides;       // of INPUT_BLOCK_MAJOR, in chunks
  const float* x = nullptr;  // [inputDim]
  float* y = nullptr;        // [out], overwritten
};

// The specification. Both activations of matmul.h; for INT8 every x must be finite.
void ternaryGemv(Activation activation, const TernaryCall& call);

}  // namespace packed
