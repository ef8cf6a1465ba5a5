#include "weights/out_in.h"

namespace packed {

Status requireOutIn(uint64_t rows, uint64_t inputDim, Encoding encoding) {
  const EncodingSpec& spec = specOf(encoding);
  if (!spec.blocked() || inputDim % spec.elements == 0) return Done{};
  if (rows != 0 && rows % spec.elements == 0) {
    return refuse(ErrorCode::LOOKS_TRANSPOSED, "[", rows, ", ", inputDim,
                  "] looks like [in, out]: ", inputDim, " is not a multiple of the ", spec.elements,
                  " values of a ", spec.name, " block, ", rows,
                  " is. GGUF names dimensions in ne order, fastest first; load with "
                  "shape OUT_IN (the label turns into [",
                  inputDim, ", ", rows, "], the bytes stay)")
        .wanted(joined("[out, in] with in a multiple of ", spec.elements),
                joined("[", rows, ", ", inputDim, "]"));
  }
  return refuse(ErrorCode::NOT_BLOCK_DIVISIBLE, "[", rows, ", ", inputDim, "] cannot be ",
                spec.name, ": neither ", rows, " nor ", inputDim, " is a multiple of its block of ",
                spec.elements, " values; only whole blocks make a row")
      .wanted(joined("[out, in] with in a multiple of ", spec.elements),
              joined("[", rows, ", ", inputDim, "]"));
}

}  // namespace packed
