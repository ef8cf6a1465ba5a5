// Files that were treated as text on their way: bytes above 127 replaced by U+FFFD (EF BF BD) or
// re-encoded as UTF-8 by a text decoder, line feeds turned into carriage return and line feed.
// Random bytes are not UTF-8 for long and are preceded by a carriage return once in 256 times, so a
// few samples decide.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "gguf/finding_list.h"
#include "gguf/gguf_types.h"

namespace packed {

class TextDamage {
 public:
  // The numbers of a header (not its strings, where U+FFFD and CR LF are legitimate), and the first
  // bytes after `parsed`, where the parser gave up or ended.
  void addHeader(const GgufHeader& header, uint64_t parsed);

  // Bytes of a tensor from absolute `offset` on; at least a few hundred to be worth it.
  void addTensor(Bytes sample, uint64_t offset, const std::string& name);

  // Reports at most one finding of each kind. `stopped`: the header could not be parsed, which by
  // itself is a sign that its numbers were damaged.
  void report(bool stopped, FindingList& findings) const;

 private:
  void countLineFeeds(Bytes bytes, uint64_t offset);

  uint64_t replaced_ = 0;  // EF BF BD among the numbers of the header
  std::optional<uint64_t> firstReplaced_;
  uint64_t decodedTensors_ = 0;  // whose samples are text
  std::string firstDecoded_;
  std::optional<uint64_t> firstDecodedAt_;
  uint64_t lineFeeds_ = 0;
  uint64_t lineFeedsAfterReturn_ = 0;
  std::optional<uint64_t> firstReturn_;
};

}  // namespace packed
