// What every conversion of a weight reports: one AdapterInserted event with its price.
#pragma once

#include <string>

#include "tensor/tensor_view.h"
#include "tensor/trace.h"

namespace packed {

// "prepack-input_block_major"
std::string adapterKind(std::string_view verb, BlockOrder order);

Arrangement arrangementOf(const TensorView& view, BlockOrder order);

// "Q4_K [4096, 14336]"
std::string shapeText(std::string_view encoding, std::span<const uint64_t> shape);
std::string shapeText(const TensorView& view);

struct AdapterPrice {
  std::string_view kind;
  std::string_view from;  // order or encoding before
  std::string_view to;    // and after
  std::string_view scope;
  uint64_t startNanos;
  uint64_t nanos;  // of work, without waiting for a file
};
// What was made, of `bytes` bytes. `sink` may be null.
void tellAdapter(TraceSink* sink, const AdapterPrice& price, std::string target, uint64_t bytes);
void tellAdapter(TraceSink* sink, const AdapterPrice& price, const TensorView& made);

}  // namespace packed
