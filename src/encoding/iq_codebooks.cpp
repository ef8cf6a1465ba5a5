#include "encoding/iq_codebooks.h"

namespace packed {

#define CODEBOOK(name, ...) const uint16_t name[] = {__VA_ARGS__};
#include "encoding/iq_codebooks.inc"
#undef CODEBOOK

namespace {

template <class Entry, std::size_t size, class Spread>
void fill(Entry (&to)[size], Spread spread) {
  // Once, so small rather than fast.
#if defined(__clang__)
#pragma clang loop vectorize(disable) unroll(disable)
#endif
  for (std::size_t i = 0; i < size; ++i) to[i] = spread(i);
}

SpreadCodebooks spread() {
  SpreadCodebooks books;
  fill(books.iq2Xxs, [](std::size_t i) { return iq2Levels(kIq2Xxs[i]); });
  fill(books.iq2Xs, [](std::size_t i) { return iq2Levels(kIq2Xs[i]); });
  fill(books.iq2S, [](std::size_t i) { return iq2Levels(kIq2S[i]); });
  fill(books.iq3Xxs, [](std::size_t i) { return iq3XxsLevels(kIq3Xxs[i]); });
  fill(books.iq3S, [](std::size_t i) { return iq3SLevels(kIq3S[i]); });
  fill(books.iq1, [](std::size_t i) { return 8 * spread2(kIq1[i]); });
  fill(books.signs, [](std::size_t i) { return signMask(static_cast<uint8_t>(i)); });
  fill(books.evenSigns,
       [](std::size_t i) { return signMask(evenSigns(static_cast<uint32_t>(i))); });
  return books;
}

}  // namespace

const SpreadCodebooks& spreadCodebooks() {
  static const SpreadCodebooks books = spread();
  return books;
}

}  // namespace packed
