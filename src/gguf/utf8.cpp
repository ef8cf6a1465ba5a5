#include "gguf/utf8.h"

#include <algorithm>
#include <cstdint>

#include "base/bits.h"

namespace packed {
namespace {

// Bytes of the well-formed sequence that starts at `at`; 0 when there is none (Unicode 15, table
// 3-7).
std::size_t sequenceLength(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> uint32_t {
    return at + i < text.size() ? static_cast<uint8_t>(text[at + i]) : 0;
  };
  const auto within = [&](std::size_t i, uint32_t low, uint32_t high) {
    return byte(i) >= low && byte(i) <= high;
  };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return within(1, 0x80, 0xbf) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const uint32_t low = lead == 0xe0 ? 0xa0 : 0x80;
    const uint32_t high = lead == 0xed ? 0x9f : 0xbf;
    return within(1, low, high) && within(2, 0x80, 0xbf) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const uint32_t low = lead == 0xf0 ? 0x90 : 0x80;
    const uint32_t high = lead == 0xf4 ? 0x8f : 0xbf;
    return within(1, low, high) && within(2, 0x80, 0xbf) && within(3, 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::size_t firstInvalidUtf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (at + 8 <= text.size()) {  // eight ASCII bytes at a time: nearly everything is ASCII
      const auto* next = reinterpret_cast<const uint8_t*>(text.data() + at);
      if ((loadLE<uint64_t>(next) & 0x8080808080808080u) == 0) {
        at += 8;
        continue;
      }
    }
    const std::size_t length = sequenceLength(text, at);
    if (length == 0) return at;
    at += length;
  }
  return at;
}

bool isNameText(std::string_view text) {
  const bool control = std::ranges::any_of(text, [](char c) {
    return static_cast<uint8_t>(c) < 0x20 || static_cast<uint8_t>(c) == 0x7f;
  });
  return isUtf8(text) && !control;
}

std::string quoted(std::string_view text, std::size_t longest) {
  constexpr char digits[] = "0123456789abcdef";
  std::string shown = "\"";
  std::size_t at = 0;
  while (at < text.size() && shown.size() <= longest) {
    const std::size_t length = sequenceLength(text, at);
    const auto byte = static_cast<uint8_t>(text[at]);
    if (length == 0 || byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\') {
      shown += "\\x";
      shown += digits[byte >> 4];
      shown += digits[byte & 15];
      at += 1;
    } else {
      shown += text.substr(at, length);
      at += length;
    }
  }
  shown += at < text.size() ? "...\"" : "\"";
  return shown;
}

}  // namespace packed
