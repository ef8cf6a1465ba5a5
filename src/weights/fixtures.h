// Fixtures: bytes that everyone's tests run against, so that a converter and an engine cannot each
// prove only their own convention.
//
//   canonical, kernelOrder   placement: 4 rows x 3 blocks, every byte of block (o, b) is
//                            (o*16 + b) & 255. They say where a block is, nothing more; they do
//                            not decode to anything useful
//   decodable                content: 5 rows x 3 blocks of real codes whose scales carry the
//                            coordinates of their block, with the decoded values and a product,
//                            so that a converter's whole path can be proved
//
// Every fixture is three blocks wide on purpose: at one block per row the two orders coincide, and
// a test built that way passes whichever convention the code happens to hold. Neither grid is
// square, because a square grid hides a swapped label.
#pragma once

#include <cstdint>
#include <vector>

#include "encoding/encoding.h"
#include "layout/block_order.h"

namespace packed::fixtures {

inline constexpr BlockGrid kPlacementGrid{4, 3};
inline constexpr BlockGrid kDecodableGrid{5, 3};
inline constexpr uint64_t kColumns = 2;  // of x and y

// The placement fixture in the order that files hold, and in the order that packed kernels read.
// UNSUPPORTED_ENCODING for PLAIN encodings.
Result<std::vector<uint8_t>> canonical(Encoding encoding);
Result<std::vector<uint8_t>> kernelOrder(Encoding encoding);

struct Decodable {
  Encoding encoding = Encoding::F32;
  BlockOrder order = BlockOrder::ROW_MAJOR;  // of bytes
  uint64_t out = 0;
  uint64_t blocksPerRow = 0;
  uint64_t inputDim = 0;
  std::vector<uint8_t> bytes;
  std::vector<float> decoded;  // [out, inputDim]
  std::vector<float> x;        // [kColumns, inputDim], multiples of 1/8
  // [kColumns, out]: x times the transpose of decoded, every product and sum in double, inputs
  // ascending, rounded to f32 once at the end
  std::vector<float> y;
};

// The decodable fixture, the same on every machine. The scale of block (o, b) is
//
//   d = (16*o + b + 1) / 1024         all but the next two
//   e = 115 + 3*o + b                 MXFP4, whose scales are powers of two
//   scale[s] = 24 + 4*(3*o + b) + s   NVFP4, byte of sub-block s
//
// UNSUPPORTED_ENCODING for PLAIN encodings.
Result<Decodable> decodable(Encoding encoding);

}  // namespace packed::fixtures
