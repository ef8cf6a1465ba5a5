// Every count that a GGUF file can declare has a maximum here, each with its reason. A count beyond
// its limit is refused by name before anything is allocated for it.
#pragma once

#include <cstdint>

namespace packed {

// The format's own: a tensor has at most four dimensions (GGML_MAX_DIMS).
inline constexpr uint32_t kMaxDimensions = 4;

// Five to eight dimensions are still read, so that the tensor can be named and the others listed.
// Beyond that the field is not a dimension count, and nothing after it can be trusted.
inline constexpr uint32_t kMaxReadableDimensions = 8;

// The format's own: a key is at most 2^16 - 1 bytes. Tensor names share it as the bound of what is
// read at all; what is *valid* for a name is kMaxTensorNameBytes.
inline constexpr uint64_t kMaxKeyBytes = 65535;

// The format's own: "at most 64 bytes". llama.cpp keeps 64 bytes with the terminating zero, so
// there it is 63.
inline constexpr uint64_t kMaxTensorNameBytes = 64;

// Arrays of arrays exist, deeper ones do not. 64 levels cost nothing to follow; 200 are an attack
// on readers that recurse.
inline constexpr uint32_t kMaxArrayDepth = 64;

// Real files have 20 to 100 entries; a few thousand would already be somebody's database. An entry
// costs about 100 bytes here, so the limit bounds the list at 7 MB.
inline constexpr uint64_t kMaxMetadataEntries = 65536;

// The longest real lists are mixtures with unmerged experts: 61 layers x 256 experts x 3 = 46,848.
// A tensor costs about 200 bytes here, so the limit bounds the list at 27 MB.
inline constexpr uint64_t kMaxTensors = 131072;

// The header is held in memory as a whole. The largest vocabularies (262,144 tokens with merges)
// need about 20 MiB; 256 MiB is more than ten of them and still fits a browser tab.
inline constexpr uint64_t kMaxHeaderBytes = uint64_t{256} << 20;

// Padding up to the alignment is held in memory when a file is written. Data is mapped by pages,
// the largest of which are 2 MiB; files with more are read, but not made.
inline constexpr uint64_t kMaxWrittenAlignment = uint64_t{2} << 20;

// The least bytes an entry can take in the file: a count that the file could not hold even so is
// wrong. Metadata: key length, value type, one byte. Tensor: name length, n_dims, type, offset.
inline constexpr uint64_t kMinMetadataEntryBytes = 8 + 4 + 1;
inline constexpr uint64_t kMinTensorInfoBytes = 8 + 4 + 4 + 8;

// ggml keeps sizes in signed 64-bit integers: beyond this they turn negative there.
inline constexpr uint64_t kMaxTensorBytes = INT64_MAX;

}  // namespace packed
