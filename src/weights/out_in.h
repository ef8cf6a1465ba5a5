// requireOutIn: the guard at the load boundary. GGUF writes dimensions in ne order, fastest first,
// so a weight that the engine calls [out, in] arrives labelled [in, out]. Its bytes are right, its
// label is not, and a relayout driven by the wrong label permutes the wrong grid.
#pragma once

#include "encoding/encoding.h"

namespace packed {

// Done when a weight of `rows` rows of `inputDim` values can be [out, in]: the row length is whole
// blocks, or the encoding has no blocks. Otherwise
//   LOOKS_TRANSPOSED     rows is whole blocks and inputDim is not: what ne order produces
//   NOT_BLOCK_DIVISIBLE  neither is
// A heuristic: where both divide it cannot tell, and stays quiet.
Status requireOutIn(uint64_t rows, uint64_t inputDim, Encoding encoding);

}  // namespace packed
