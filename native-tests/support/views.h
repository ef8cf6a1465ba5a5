// Views for tests: over bytes of the oracle, in a scope of the test.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "support/oracle.h"
#include "tensor/scope.h"
#include "tensor/tensor_view.h"
#include "tensor/trace.h"

namespace packed::oracle {

// A view of `shape` over `canonical` bytes, written down in `order`.
inline TensorView viewOf(Scope& scope, Encoding encoding, const Shape& shape,
                         const std::vector<uint8_t>& canonical, BlockOrder order) {
  const uint32_t elements = specOf(encoding).elements;
  BlockGrid grid = {1, shape.back() / elements};
  uint64_t slices = 1;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) {
    if (axis + 2 == shape.size()) {
      grid.out = shape[axis];
    } else {
      slices *= shape[axis];
    }
  }
  const auto bytes = inOrder(canonical, slices, grid, specOf(encoding).bytes, order);
  auto storage = scope.allocate(bytes.size(), "test");
  REQUIRE(storage.ok());
  auto to = (*storage)->writableBytes();
  REQUIRE(to.ok());
  std::copy(bytes.begin(), bytes.end(), to->begin());
  auto view = TensorView::of(*storage, encoding, shape, order);
  REQUIRE(view.ok());
  return *view;
}

inline uint64_t blocksOf(Encoding encoding, const Shape& shape) {
  uint64_t values = 1;
  for (const uint64_t size : shape) values *= size;
  return values / specOf(encoding).elements;
}

// A view of real blocks.
inline TensorView realView(Scope& scope, Encoding encoding, const Shape& shape, BlockOrder order,
                           uint32_t seed = 1) {
  return viewOf(scope, encoding, shape, realBlocks(encoding, blocksOf(encoding, shape), seed),
                order);
}

inline std::vector<float> floatsOf(const TensorView& view) {
  std::vector<float> values(view.valueCount());
  REQUIRE(view.toFloats(values).ok());
  return values;
}

inline std::vector<uint8_t> bytesOf(const TensorView& view, BlockOrder order) {
  std::vector<uint8_t> bytes(view.packedSize());
  REQUIRE(view.copyBlocks(order, bytes).ok());
  return bytes;
}

// How many events of a kind a ring holds.
inline std::size_t countOf(const TraceRing& ring, TraceKind kind) {
  std::size_t count = 0;
  for (const TraceEvent& event : ring.events()) count += event.kind == kind;
  return count;
}

template <class T>
ErrorCode codeOf(const Result<T>& refused) {
  REQUIRE(!refused.ok());
  return refused.error().code;
}

}  // namespace packed::oracle
