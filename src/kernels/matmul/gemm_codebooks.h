// Panels of the IQ families: each entry of a codebook is looked up for four rows side by side, where
// it stands in the panel, rather than row after row into memory that is then exchanged (gemm_parts.cpp).
// 23 to 30 instructions for sixteen values instead of some 40; of IQ3_S 41.
#pragma once

#include "kernels/matmul/gemm.h"

#if defined(PACKED_RELAXED_SIMD)

namespace packed {

// For 32-bit dot products of bytes; null for encodings without a codebook.
DecodePanel* codebookDecoderOf(Encoding encoding);

}  // namespace packed

#endif
