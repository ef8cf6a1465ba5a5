// FuzzInput: the bytes of a fuzzer as choices, from the front, and the rest as content. Claims that
// do not hold end the program, so that libFuzzer keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/bytes.h"
#include "encoding/encoding.h"

#define FUZZ_CLAIM(claim)                                                             \
  do {                                                                                \
    if (!(claim)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #claim); \
      std::abort();                                                                   \
    }                                                                                 \
  } while (false)

namespace packed::fuzz {

class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, std::size_t size) : rest_(data, size) {}

  // 0 .. limit - 1, of one byte; 0 when there is no more input.
  uint64_t below(uint64_t limit) {
    if (rest_.empty()) return 0;
    const uint64_t value = rest_.front() % limit;
    rest_ = rest_.subspan(1);
    return value;
  }
  bool flag() { return below(2) != 0; }
  uint64_t between(uint64_t least, uint64_t most) { return least + below(most - least + 1); }

  Encoding encoding() { return allEncodings()[below(allEncodings().size())].encoding; }
  Encoding blockedEncoding() {
    const Encoding chosen = encoding();
    return specOf(chosen).blocked() ? chosen : Encoding::Q4_0;
  }

  Bytes rest() const { return rest_; }

  // Exactly `size` bytes: the rest over and over, changed each time so that blocks differ.
  std::vector<uint8_t> content(uint64_t size) const {
    std::vector<uint8_t> made(size);
    for (uint64_t i = 0; i < size; ++i) {
      made[i] = rest_.empty() ? static_cast<uint8_t>(i * 37 >> 3)
                              : static_cast<uint8_t>(rest_[i % rest_.size()] + i / rest_.size());
    }
    return made;
  }

 private:
  Bytes rest_;
};

}  // namespace packed::fuzz
