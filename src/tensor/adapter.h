// What every relayout reports: one AdapterInserted event with its price. Shared by prepack in its
// three forms (prepack.h, prepack_stream.h).
#pragma once

#include <string>

#include "tensor/tensor_view.h"
#include "tensor/trace.h"

namespace packed {

// "prepack-input_block_major"
std::string adapterKind(std::string_view verb, BlockOrder order);

Arrangement arrangementOf(const TensorView& view, BlockOrder order);

// "Q4_K [4096, 14336]"
std::string shapeText(const TensorView& view);

struct AdapterPrice {
  std::string kind;
  BlockOrder from;
  uint64_t bytes;
  std::string scope;
  uint64_t startNanos;
  uint64_t nanos;  // of work, without waiting for a file
};
// `sink` may be null.
void tellAdapter(TraceSink* sink, const AdapterPrice& price, const TensorView& made);

}  // namespace packed
