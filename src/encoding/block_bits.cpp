#include "encoding/block_bits.h"

#include <iterator>

namespace packed {
namespace {

constexpr BitRun kRuns[] = {
#define X(encoding, field, role, ...) {Encoding::encoding, #field, BitRole::role, __VA_ARGS__},
#include "encoding/block_bits.inc"
#undef X
};

constexpr std::string_view kRoles[] = {"FACTOR", "SCALE", "MINIMUM", "CODE", "INDEX",
                                       "SIGN",   "SHIFT", "DIGITS",  "SUM"};

constexpr uint32_t bitsNamed(Encoding encoding) {
  uint32_t bits = 0;
  for (const BitRun& run : kRuns) {
    if (run.encoding == encoding) bits += run.outer * run.inner * run.width;
  }
  return bits;
}

#define PLAIN(name, bytes)
#define BLOCKED(name, bytes) \
  static_assert(bitsNamed(Encoding::name) == 8 * bytes, #name " lacks bits in block_bits.inc");
#define X(name, ggmlType, elements, bytes, group, kind) kind(name, bytes)
#include "encoding/encodings.inc"
#undef X
#undef BLOCKED
#undef PLAIN

}  // namespace

std::string_view nameOf(BitRole role) { return kRoles[static_cast<std::size_t>(role)]; }

std::span<const BitRun> bitRunsOf(Encoding encoding) {
  const BitRun* const end = std::end(kRuns);
  const BitRun* first = kRuns;
  while (first != end && first->encoding != encoding) ++first;
  const BitRun* last = first;
  while (last != end && last->encoding == encoding) ++last;
  return {first, last};
}

std::optional<BitMeaning> bitAt(Encoding encoding, uint32_t bit) {
  for (const BitRun& run : bitRunsOf(encoding)) {
    for (uint32_t o = 0; o < run.outer; ++o) {
      for (uint32_t i = 0; i < run.inner; ++i) {
        const uint32_t at = run.start + o * run.outerBits + i * run.innerBits;
        if (bit < at || bit - at >= run.width) continue;
        return BitMeaning{run.field,
                          run.role,
                          run.significance + bit - at,
                          run.first + o * run.outerElements + i * run.innerElements,
                          run.span,
                          run.stride};
      }
    }
  }
  return std::nullopt;
}

}  // namespace packed
