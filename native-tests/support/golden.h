// The golden files: bytes and values of 25 encodings, 5 rows x 3 blocks, made with the reference
// implementation. NAME.arbitrary.bin decodes to NAME.arbitrary.f32; NAME.source.f32 was quantized
// to NAME.quantized.bin, which decodes to NAME.decoded.f32; NAME.x.f32 (2 columns x inputDim) times
// the decoded weight, summed in double, is NAME.y.f32 (2 columns x 5 rows).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "encoding/encoding.h"

namespace packed::golden {

inline constexpr uint64_t kRows = 5;
inline constexpr uint64_t kBlocksPerRow = 3;
inline constexpr uint64_t kColumns = 2;

struct Entry {
  Encoding encoding;
  double relativeRmsError;  // of the reference quantizer on NAME.source.f32
};

// Every encoding of manifest.json.
const std::vector<Entry>& entries();

// Content of NAME.`suffix`: bytes(Encoding::Q4_0, "arbitrary.bin"). Empty when there is no such
// file, so that a test that compares sizes fails.
std::vector<uint8_t> bytes(Encoding encoding, const std::string& suffix);
std::vector<float> floats(Encoding encoding, const std::string& suffix);

}  // namespace packed::golden
