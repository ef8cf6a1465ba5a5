// Builds GGUF files field by field, right or wrong, in either byte order. Shares nothing with the
// library's writer, which would refuse to write most of what the tests need.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace packed::test {

struct GgufBuilder {
  std::vector<uint8_t> bytes;
  bool littleEndian = true;

  template <class T>
  GgufBuilder& number(T value) {
    auto raw = std::bit_cast<std::array<uint8_t, sizeof(T)>>(value);
    if (!littleEndian) std::reverse(raw.begin(), raw.end());
    bytes.insert(bytes.end(), raw.begin(), raw.end());
    return *this;
  }
  GgufBuilder& raw(std::string_view text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    return *this;
  }
  GgufBuilder& text(std::string_view text) { return number<uint64_t>(text.size()).raw(text); }
  GgufBuilder& zeros(uint64_t count) {
    bytes.resize(bytes.size() + count);
    return *this;
  }
  GgufBuilder& pad(uint64_t alignment = 32) {
    return zeros((alignment - bytes.size() % alignment) % alignment);
  }

  GgufBuilder& start(uint64_t tensors, uint64_t metadata, uint32_t version = 3) {
    return raw("GGUF").number(version).number(tensors).number(metadata);
  }
  GgufBuilder& key(std::string_view name, uint32_t type) { return text(name).number(type); }
  GgufBuilder& textEntry(std::string_view name, std::string_view value) {
    return key(name, 8).text(value);
  }
  GgufBuilder& u32Entry(std::string_view name, uint32_t value) {
    return key(name, 4).number(value);
  }
  GgufBuilder& tensor(std::string_view name, std::vector<uint64_t> ne, uint32_t type,
                      uint64_t offset) {
    text(name).number(static_cast<uint32_t>(ne.size()));
    for (const uint64_t dimension : ne) number(dimension);
    return number(type).number(offset);
  }
};

}  // namespace packed::test
