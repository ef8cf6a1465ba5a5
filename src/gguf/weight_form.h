// WeightForm: how a caller wants a tensor of a file, said once and in words, instead of discovering
// which reader's convention is in force.
//
// Label. A file writes dimensions in ne order, [in, out, ..]; the engine calls the same weight
// [out, in]. The bytes are [out, in] row-major either way:
//
//   AS_STORED   the label of the file. The view has shape [in, out] and get(i, o) is the weight's
//               value: it is the [out, in] view turned round, which no relayout and no packed
//               kernel takes
//   OUT_IN      [out, in]. What relayouts and kernels read. Reversing is seen as a LabelReversed
//               event
//
// Of a stack (3 or 4 dimensions) the stacking axes come first in either label and the last two are
// what is reversed: [experts, in, out] or [experts, out, in]. One dimension has one label.
//
// The default is AS_STORED: reversing shapes changes what every consumer sees. New code should ask
// for OUT_IN.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/gguf_types.h"
#include "layout/block_order.h"
#include "layout/shape_label.h"

namespace packed {

enum class LoadOrder : uint8_t {
  AS_STORED,    // ROW_MAJOR, as every file is
  KERNEL_FEED,  // INPUT_BLOCK_MAJOR, relaid while it is read; needs OUT_IN
};
enum class LoadEncoding : uint8_t { KEEP, DEQUANTIZE };

struct WeightForm {
  ShapeOrientation shape = ShapeOrientation::AS_STORED;
  LoadOrder order = LoadOrder::AS_STORED;
  LoadEncoding encoding = LoadEncoding::KEEP;

  friend bool operator==(const WeightForm&, const WeightForm&) = default;
};

// Both conventions of readers by name: "streaming" is short for AS_STORED, the default, and
// "legacy" for OUT_IN. INVALID_ARGUMENT for any other name.
Result<WeightForm> readerConvention(std::string_view name);

// NOT_FEEDABLE for KERNEL_FEED without OUT_IN: driven by the label of the file a relayout would
// permute the wrong grid. INVALID_ARGUMENT for KERNEL_FEED with DEQUANTIZE: values have no blocks
// to order.
Status checkForm(const WeightForm& form);

// The shape that a view of the tensor has in a form; a tensor of no dimensions is one value.
std::vector<uint64_t> shapeOf(const TensorInfo& info, ShapeOrientation orientation);

// UNSUPPORTED_ENCODING where the tensors of a file cannot be viewed: they are big-endian.
Status checkViewable(const GgufHeader& header);

// Whether a tensor can be handed to the packed kernels, decided from its description alone (whether
// the file holds it to its end, tensorRange says). Nothing
// that cannot is passed through silently: NOT_FEEDABLE with the reason (one dimension, no blocks),
// what byteLengthOf refuses (an unknown type, rows that are not whole blocks), or checkViewable.
Status checkFeedable(const GgufHeader& header, const TensorInfo& info);

}  // namespace packed
