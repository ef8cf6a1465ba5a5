#include "gguf/weight_form.h"

#include <utility>

#include "gguf/tensor_range.h"
#include "gguf/utf8.h"

namespace packed {

Result<WeightForm> readerConvention(std::string_view name) {
  WeightForm form;
  if (name == "streaming") return form;
  if (name == "legacy") {
    form.shape = ShapeOrientation::OUT_IN;
    return form;
  }
  return refuse(ErrorCode::INVALID_ARGUMENT, "no reader convention is called \"", name,
                "\": \"streaming\" keeps the label of the file (the default), \"legacy\" reverses "
                "it to "
                "[out, in]")
      .wanted("streaming or legacy", name);
}

Status checkForm(const WeightForm& form) {
  if (form.order != LoadOrder::KERNEL_FEED) return Done{};
  if (form.shape != ShapeOrientation::OUT_IN) {
    return refuse(ErrorCode::NOT_FEEDABLE,
                  "order KERNEL_FEED needs shape OUT_IN: driven by the file's label [in, out] the "
                  "relayout would permute the wrong grid; ask for { shape: OUT_IN, order: "
                  "KERNEL_FEED }")
        .wanted("OUT_IN", "AS_STORED");
  }
  if (form.encoding == LoadEncoding::DEQUANTIZE) {
    return refuse(
        ErrorCode::INVALID_ARGUMENT,
        "a dequantized weight has no blocks to put in kernel order; ask for KERNEL_FEED or for "
        "dequantize, not for both");
  }
  return Done{};
}

std::vector<uint64_t> shapeOf(const TensorInfo& info, ShapeOrientation orientation) {
  if (info.ne.empty()) return {1};
  std::vector<uint64_t> shape = reversedLabel(info.ne);
  if (orientation == ShapeOrientation::AS_STORED && shape.size() >= 2) {
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  }
  return shape;
}

Status checkViewable(const GgufHeader& header) {
  if (header.littleEndian) return Done{};
  return refuse(
      ErrorCode::UNSUPPORTED_ENCODING,
      "the file is big-endian, and so are its tensors; convert it to little-endian first");
}

Status checkFeedable(const GgufHeader& header, const TensorInfo& info) {
  PACKED_CHECK(byteLengthOf(info));
  if (info.ne.size() < 2) {
    return refuse(ErrorCode::NOT_FEEDABLE, "tensor ", quoted(info.name), " has ", info.ne.size(),
                  " dimension", info.ne.size() == 1 ? "" : "s",
                  ": a vector is one row and has one order; load it with order AS_STORED")
        .in(info.name);
  }
  if (!specOf(*info.encoding).blocked()) {
    return refuse(ErrorCode::NOT_FEEDABLE, "tensor ", quoted(info.name), " is ",
                  nameOf(*info.encoding),
                  ", which has no blocks to reorder: kernels read its rows as "
                  "they are; load it with order AS_STORED")
        .in(info.name);
  }
  return checkViewable(header);
}

}  // namespace packed
