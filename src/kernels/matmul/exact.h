// The vector kernels of Activation::F32. Codes are taken out of some rows' blocks as bytes; a
// vector of four consecutive values then is the four lanes that matmul.h prescribes. A single
// column meets the values as they are made, several columns meet them one after the other.
#pragma once

#include "kernels/matmul/matmul.h"
#include "kernels/matmul/row_codes.h"

#if defined(PACKED_SIMD)

namespace packed {

// Without `decode`: decodeBlocks, row after row; or down the rows where their plain values lie side
// by side, as in a transposed view.
uint64_t exactWorkspace(const MatmulShape& shape);
void runExact(const CodesFormat& format, const MatmulCall& call);

template <Encoding encoding>
CodesFormat exactFormat() {
  if constexpr (HasCodes<encoding>) {
    return codesFormatOf<Codes<encoding>>(encoding);
  } else if constexpr (encoding == Encoding::NVFP4) {
    return codesFormatOf<CodesOfNvfp4>(encoding);
  } else {
    CodesFormat format;
    format.encoding = encoding;
    return format;
  }
}

}  // namespace packed

#endif
