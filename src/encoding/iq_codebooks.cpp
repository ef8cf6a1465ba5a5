#include "encoding/iq_codebooks.h"

namespace packed {

#define CODEBOOK(name, ...) const uint16_t name[] = {__VA_ARGS__};
#include "encoding/iq_codebooks.inc"
#undef CODEBOOK

}  // namespace packed
