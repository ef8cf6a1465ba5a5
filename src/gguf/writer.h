// Writing GGUF v3, little-endian: first the whole layout, then bytes in the order of the file.
//
//   Result<GgufPlan> plan = planGguf(metadata, tensors);
//   write plan->header;
//   for each tensor of plan->tensors: write its byteLength bytes, then paddingAfter zeros
//
// The caller streams the tensors' bytes: nothing here holds them. The same input gives the same
// bytes, always. What is written passes both profiles of the validator (llama, if the alignment is
// a power of two): entries in the order given, tensors in the order given without gaps, padded to
// the alignment, the last one too.
//
// Two entries are added when they are needed and missing, at the end: `general.alignment` when the
// alignment is not 32, and `general.quantization_version` when a tensor is quantized; the first
// shard alone states that for a model (split.no, split.count).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "gguf/gguf_types.h"
#include "gguf/metadata_field.h"

namespace packed {

// The version of the quantized formats that general.quantization_version states (ggml's
// QNT_VERSION).
inline constexpr uint32_t kQuantizationVersion = 2;

struct TensorToWrite {
  std::string name;
  std::vector<uint64_t> ne;  // fastest-varying first: [in, out, ...]
  Encoding encoding = Encoding::F32;
};

struct PlannedTensor {
  std::string name;
  uint64_t offset = 0;  // absolute
  uint64_t byteLength = 0;
  uint64_t paddingAfter = 0;  // zeros up to the next multiple of the alignment
};

struct GgufPlan {
  std::vector<uint8_t> header;  // with its padding: header.size() is where the first tensor starts
  std::vector<PlannedTensor> tensors;
  uint64_t alignment = kDefaultAlignment;
  uint64_t totalBytes = 0;
  uint32_t addedQuantizationVersion = 0;  // 0: none was added
};

// INVALID_ARGUMENT names what would make the file malformed: an alignment that is not a multiple of
// 8 or contradicts the metadata; an empty, repeated or over-long key or tensor name (tensor names
// have under 64 bytes, so that llama.cpp loads them); no or more than four dimensions, or a zero
// among them. NOT_BLOCK_DIVISIBLE, SIZE_OVERFLOW, LIMIT_EXCEEDED as they apply.
Result<GgufPlan> planGguf(std::span<const MetadataField> metadata,
                          std::span<const TensorToWrite> tensors,
                          uint64_t alignment = kDefaultAlignment);

}  // namespace packed
