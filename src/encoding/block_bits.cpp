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
