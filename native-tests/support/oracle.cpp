#include "support/oracle.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <tuple>

#include "base/half.h"
#include "encoding/codec.h"
#include "support/golden.h"

namespace packed::oracle {
namespace {

uint64_t productOf(const Shape& shape) {
  uint64_t product = 1;
  for (const uint64_t size : shape) product *= size;
  return product;
}

// A dense value of `shape` whose every element is asked of `from`.
Dense filled(Shape shape, const std::function<float(const Shape&)>& from) {
  Dense made;
  made.shape = std::move(shape);
  for (const Shape& index : indicesOf(made.shape)) made.values.push_back(from(index));
  return made;
}

}  // namespace

uint64_t Dense::count() const { return productOf(shape); }

float Dense::at(const Shape& index) const {
  uint64_t flat = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) flat = flat * shape[axis] + index[axis];
  return values[flat];
}

Dense Dense::narrow(std::size_t axis, uint64_t from, uint64_t size) const {
  Shape smaller = shape;
  smaller[axis] = size;
  return filled(smaller, [&](Shape index) {
    index[axis] += from;
    return at(index);
  });
}

Dense Dense::everyNth(std::size_t axis, uint64_t step) const {
  Shape smaller = shape;
  smaller[axis] = 0;
  for (uint64_t i = 0; i < shape[axis]; i += step) ++smaller[axis];
  return filled(smaller, [&](Shape index) {
    index[axis] *= step;
    return at(index);
  });
}

Dense Dense::slice(uint64_t chosen) const {
  return filled(Shape(shape.begin() + 1, shape.end()), [&](Shape index) {
    index.insert(index.begin(), chosen);
    return at(index);
  });
}

Dense Dense::transpose() const {
  Shape turned = shape;
  std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
  return filled(turned, [&](Shape index) {
    std::swap(index[index.size() - 1], index[index.size() - 2]);
    return at(index);
  });
}

std::vector<Shape> indicesOf(const Shape& shape) {
  std::vector<Shape> all = {{}};
  for (const uint64_t size : shape) {
    std::vector<Shape> longer;
    for (const Shape& index : all) {
      for (uint64_t i = 0; i < size; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    }
    all = std::move(longer);
  }
  return all;
}

Dense decoded(Encoding encoding, const Shape& shape, const std::vector<uint8_t>& canonical) {
  Dense made = {shape, std::vector<float>(productOf(shape))};
  decodeBlocks(encoding, canonical.data(), canonical.size() / specOf(encoding).bytes,
               made.values.data());
  return made;
}

std::vector<uint8_t> inOrder(const std::vector<uint8_t>& canonical, uint64_t slices, BlockGrid grid,
                             uint32_t blockBytes, BlockOrder order) {
  using Block = std::vector<uint8_t>;
  std::map<std::tuple<uint64_t, uint64_t, uint64_t>, Block> blocks;
  auto next = canonical.begin();
  for (uint64_t s = 0; s < slices; ++s) {
    for (uint64_t o = 0; o < grid.out; ++o) {
      for (uint64_t b = 0; b < grid.blocksPerRow; ++b, next += blockBytes) {
        blocks[{s, o, b}] = Block(next, next + blockBytes);
      }
    }
  }
  std::vector<uint8_t> written;
  const auto write = [&](uint64_t s, uint64_t o, uint64_t b) {
    const Block& block = blocks.at({s, o, b});
    written.insert(written.end(), block.begin(), block.end());
  };
  for (uint64_t s = 0; s < slices; ++s) {
    if (order == BlockOrder::ROW_MAJOR) {
      for (uint64_t o = 0; o < grid.out; ++o) {
        for (uint64_t b = 0; b < grid.blocksPerRow; ++b) write(s, o, b);
      }
    } else {
      for (uint64_t b = 0; b < grid.blocksPerRow; ++b) {
        for (uint64_t o = 0; o < grid.out; ++o) write(s, o, b);
      }
    }
  }
  return written;
}

std::vector<uint8_t> anyBlocks(Encoding encoding, uint64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(count * specOf(encoding).bytes);
  for (uint8_t& byte : bytes) byte = uint8_t(random());
  return bytes;
}

std::vector<uint8_t> realBlocks(Encoding encoding, uint64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  const uint32_t size = specOf(encoding).bytes;
  std::vector<uint8_t> bytes;
  const std::vector<uint8_t> written = golden::bytes(encoding, "quantized.bin");
  std::normal_distribution<float> normal;
  for (uint64_t i = 0; i < count; ++i) {
    uint8_t block[512] = {};
    const float value = normal(random);
    if (!written.empty()) {
      std::memcpy(block, written.data() + random() % (written.size() / size) * size, size);
    } else if (encoding == Encoding::F32) {
      storeLE(block, value);
    } else if (encoding == Encoding::F64) {
      storeLE(block, double(value));
    } else if (encoding == Encoding::F16) {
      storeLE(block, floatToHalf(value));
    } else if (encoding == Encoding::BF16) {
      storeLE(block, floatToBf16(value));
    } else if (specOf(encoding).blocked()) {  // Q8_1, Q8_K: a scale of fp16 or f32, then codes
      for (uint32_t b = 0; b < size; ++b) block[b] = uint8_t(random());
      if (encoding == Encoding::Q8_K) storeLE(block, std::fabs(value) / 127);
      if (encoding == Encoding::Q8_1) storeLE(block, floatToHalf(std::fabs(value) / 127));
    } else {
      block[0] = uint8_t(random() % 100);
    }
    bytes.insert(bytes.end(), block, block + size);
  }
  return bytes;
}

std::vector<float> randomFloats(std::size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<double> matmul(const std::vector<float>& x, const Dense& w) {
  const uint64_t in = w.shape.back();
  const uint64_t out = w.shape.size() == 2 ? w.shape[0] : 1;
  std::vector<double> y;
  for (uint64_t n = 0; n < (in == 0 ? 0 : x.size() / in); ++n) {
    for (uint64_t o = 0; o < out; ++o) {
      double sum = 0;
      for (uint64_t i = 0; i < in; ++i) sum += double(w.values[o * in + i]) * double(x[n * in + i]);
      y.push_back(sum);
    }
  }
  return y;
}

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

}  // namespace packed::oracle
