// The rules that need nothing but a complete header and the size of the file. Each function reports
// one group of rules; the validator runs them all once the reader is done.
#pragma once

#include <cstdint>

#include "gguf/finding_list.h"
#include "gguf/gguf_types.h"

namespace packed {

// Byte order, keys, strings, bools, the types of known keys, alignment.
void checkMetadata(const GgufHeader& header, FindingList& findings);

// Keys that a file must have, given the tensors it has.
void checkRequiredKeys(const GgufHeader& header, FindingList& findings);

// Names, dimensions, types and row lengths, tensor by tensor.
void checkTensorInfos(const GgufHeader& header, FindingList& findings);

// Where the tensors lie: alignment, order, gaps, overlaps, the end of the file. `afterHeader`: the
// bytes behind the last tensor info, as far as they are at hand: whether they are the zeros of
// padding tells a file that was cut from one whose data starts too early.
void checkOffsets(const GgufHeader& header, uint64_t totalSize, Bytes afterHeader,
                  FindingList& findings);

// Shapes against embedding_length, feed_forward_length and block_count, and against the tensors of
// the same role in other blocks.
void checkShapes(const GgufHeader& header, FindingList& findings);

// "blk.12.ffn_down.weight" is block 12 of the role "ffn_down.weight"; other names have no block.
struct TensorRole {
  bool inBlock = false;
  uint64_t block = 0;
  std::string_view role;
};
TensorRole roleOf(std::string_view tensorName);

// Whether this file is a shard of a split set other than the first, which alone carries metadata.
bool isLaterShard(const GgufHeader& header);

}  // namespace packed
