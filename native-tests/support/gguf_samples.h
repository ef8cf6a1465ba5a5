// Small whole files for tests that vary one thing about them.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "support/gguf_builder.h"

namespace packed::test {

// One F32 matrix of 2 rows of 32, and what the test puts in front of it.
inline GgufBuilder withMetadata(uint64_t entries) {
  return GgufBuilder().start(1, entries + 1).textEntry("general.architecture", "test");
}
inline std::vector<uint8_t> withMatrix(GgufBuilder file) {
  file.tensor("w", {32, 2}, 0, 0).pad();
  for (int i = 0; i < 64; ++i) file.number(static_cast<float>(i) * 0.25f);
  return file.bytes;
}

inline std::vector<uint8_t> withTensor(std::vector<uint64_t> ne, uint32_t type, uint64_t dataBytes,
                                       std::string_view architecture = "test") {
  GgufBuilder file;
  file.start(1, 2).textEntry("general.architecture", architecture);
  file.u32Entry("general.quantization_version", 2).tensor("w", std::move(ne), type, 0).pad();
  for (uint64_t i = 0; i < dataBytes; ++i) file.number(static_cast<uint8_t>(i % 7 + 1));
  return file.pad().bytes;
}

}  // namespace packed::test
