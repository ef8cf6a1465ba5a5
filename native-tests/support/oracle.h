// Models to compare with, written without the library's layouts, strides or formulas: dense values
// with one number per index, and the two orders as the sequence in which somebody would write the
// blocks down.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "encoding/encoding.h"
#include "layout/block_order.h"

namespace packed::oracle {

using Shape = std::vector<uint64_t>;

// A dense value. Every operation is its definition, an index at a time.
struct Dense {
  Shape shape;
  std::vector<float> values;  // last axis fastest

  uint64_t count() const;
  float at(const Shape& index) const;
  Dense narrow(std::size_t axis, uint64_t from, uint64_t size) const;
  Dense everyNth(std::size_t axis, uint64_t step) const;
  Dense slice(uint64_t index) const;
  Dense transpose() const;
};

// Every index of a shape, last axis fastest.
std::vector<Shape> indicesOf(const Shape& shape);

// ROW_MAJOR bytes decoded row by row.
Dense decoded(Encoding encoding, const Shape& shape, const std::vector<uint8_t>& canonical);

// The same blocks written down in `order`, grid after grid.
std::vector<uint8_t> inOrder(const std::vector<uint8_t>& canonical, uint64_t slices, BlockGrid grid,
                             uint32_t blockBytes, BlockOrder order);

// `count` blocks of any bytes at all, and of bytes that a quantizer wrote (finite values near 1).
std::vector<uint8_t> anyBlocks(Encoding encoding, uint64_t count, uint32_t seed);
std::vector<uint8_t> realBlocks(Encoding encoding, uint64_t count, uint32_t seed);

std::vector<float> randomFloats(std::size_t count, uint32_t seed);

// y = x * transpose(w) in double, one product at a time.
std::vector<double> matmul(const std::vector<float>& x, const Dense& w);

// Whether all bits agree, so that NaN equals itself and -0 is not 0.
bool sameBits(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace packed::oracle
