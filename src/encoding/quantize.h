// Quantize: f32 values to the bytes of whole blocks, row by row, with a report of what was lost.
//
// Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, MXFP4, NVFP4, Q1_0, Q2_0, TQ1_0 and TQ2_0 yield the bytes of the
// reference quantizer. For the first four that is its weighted search (plain_codes.h), which loses
// less than rounding to the block's extreme value and is what files of these formats are made with.
// The K formats, IQ4_NL and IQ4_XS search for the scales that lose least (scale_search.h,
// super_block.h). F32, F16, BF16 and F64 round. There is no quantizer for the IQ1, IQ2 and IQ3
// families, Q8_1, Q8_K and the integers.
//
// Rows are ROW_MAJOR. The same values give the same bytes on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "encoding/encoding.h"
#include "encoding/quantize_report.h"

namespace packed {

// Whether quantize knows the encoding.
bool quantizable(Encoding encoding);

// values.size() / inputDim rows of inputDim values, to exactly packedBytesOf bytes.
//
// `importance` is empty, or inputDim weights, the same for every row: how much an error on that
// input counts. The formats that search then minimize the weighted error, and so do those with one
// definition as far as they have a choice; TQ1_0, TQ2_0 and the floats have none. Only
// proportions count; a block of zero weights counts its values equal.
//
// Refused with nothing written: ELEMENT_NOT_FINITE, naming the index of the first NaN or infinity;
// INVALID_ARGUMENT for weights that are negative or not finite; SIZE_MISMATCH, NOT_BLOCK_DIVISIBLE,
// UNSUPPORTED_ENCODING; OUT_OF_RANGE for a value beyond what the encoding's scales can express,
// naming its index. (If only the scale fitted to it shows that it is, `to` has been set to zero.)
Result<QuantizeReport> quantize(Encoding encoding, std::span<const float> values, uint64_t inputDim,
                                std::span<const float> importance, MutableBytes to);

}  // namespace packed
