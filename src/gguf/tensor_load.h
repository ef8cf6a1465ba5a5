// TensorLoad: one tensor of a file, as a view in the form asked for, while its bytes arrive.
//
//   auto load = TensorLoad::start(header, *header.findTensor(name), form, totalSize, scope, sink);
//   read load->range() of the source in windows of any size; load->accept(each);
//   auto view = load->finish();
//
// Nothing is kept beside the destination, which lies in `scope`: peak memory is the destination
// plus one window. A load that is dropped, because somebody cancelled, gives it back.
//
// Events: LabelReversed when OUT_IN turned a label, AdapterInserted when blocks were relaid or
// decoded, Refused.
#pragma once

#include <variant>

#include "gguf/tensor_range.h"
#include "gguf/weight_form.h"
#include "tensor/dequantize.h"
#include "tensor/prepack_stream.h"

namespace packed {

class TensorLoad {
 public:
  // `scope` must outlive the load; `sink` may be null. Errors, each with the tensor's name: those
  // of checkForm, checkFeedable (for KERNEL_FEED) and tensorRange; UNSUPPORTED_ENCODING for the
  // data of a big-endian file; those of Scope::allocate.
  static Result<TensorLoad> start(const GgufHeader& header, const TensorInfo& info,
                                  const WeightForm& form, uint64_t totalSize, Scope& scope,
                                  TraceSink* sink);

  // Where in the file the bytes are.
  ByteRange range() const { return range_; }

  // The next bytes of the range. SIZE_MISMATCH when more arrive than it has, SCOPE_CLOSED.
  Status accept(Bytes window);

  // The view. SIZE_MISMATCH while bytes are missing, SCOPE_CLOSED. To be called once.
  Result<TensorView> finish();

 private:
  using Stream = std::variant<PrepackStream, DequantizeStream>;
  TensorLoad(Stream stream, const TensorInfo& info, const WeightForm& form, ByteRange range,
             TraceSink* sink);
  void tellLabel() const;

  Stream stream_;
  std::string name_;
  std::vector<uint64_t> stored_;  // the label AS_STORED
  std::vector<uint64_t> outIn_;
  WeightForm form_;
  ByteRange range_;
  TraceSink* sink_;
};

}  // namespace packed
