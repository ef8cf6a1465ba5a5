// Codec: the bytes of whole blocks to f32 values, for every encoding.
//
// Blocks are decoded where they stand and in the sequence they stand in; which block belongs where
// is the business of the layout, so nothing here knows an order.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "encoding/block_parts.h"

namespace packed {

using UnpackBlock = void (*)(const uint8_t* block, BlockParts& parts);

// The function that takes one block of a BLOCKED encoding apart; null for PLAIN encodings.
UnpackBlock unpackerOf(Encoding encoding);

// Whether decodeBlocks knows the encoding; where not, UNSUPPORTED_ENCODING.
bool decodable(Encoding encoding);
Status requireDecodable(Encoding encoding);

// Values of a block that has been taken apart: to[0 .. elements - 1].
void decodeParts(const EncodingSpec& spec, const BlockParts& parts, float* to);

// `count` blocks that stand one after the other, to count * elements values. PLAIN encodings are
// converted value by value: I64 and F64 round to nearest. `encoding` must be decodable.
void decodeBlocks(Encoding encoding, const uint8_t* blocks, uint64_t count, float* to);

// The checked form. SIZE_MISMATCH when `bytes` is not whole blocks or `to` is not exactly their
// values, UNSUPPORTED_ENCODING when the encoding cannot be decoded.
Status decode(Encoding encoding, Bytes bytes, std::span<float> to);

}  // namespace packed
