// Whether bytes are UTF-8, and how to show bytes that may not be.
#pragma once

#include <string>
#include <string_view>

namespace packed {

// The offset of the first byte that is not part of well-formed UTF-8 (no overlong forms, no
// surrogates, nothing above U+10FFFF); text.size() when there is none.
std::size_t firstInvalidUtf8(std::string_view text);
inline bool isUtf8(std::string_view text) { return firstInvalidUtf8(text) == text.size(); }

// What a name may be: UTF-8 without control characters.
bool isNameText(std::string_view text);

// At most about `longest` bytes of a name from a file, quoted for a message: control characters and
// bytes that are not UTF-8 are written as \xNN, so that the message itself is always UTF-8.
std::string quoted(std::string_view text, std::size_t longest = 80);

}  // namespace packed
