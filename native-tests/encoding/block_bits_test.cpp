#include "encoding/block_bits.h"

#include <doctest/doctest.h>

#include <bit>
#include <vector>

#include "encoding/block_anatomy.h"
#include "encoding/codec.h"
#include "support/golden.h"

namespace packed {
namespace {

uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

}  // namespace

TEST_CASE("block bits: every bit of every blocked encoding is named once, in its own field") {
  for (const EncodingSpec& spec : allEncodings()) {
    CAPTURE(spec.name);
    std::vector<int> named(spec.blocked() ? 8 * spec.bytes : 0);
    for (const BitRun& run : bitRunsOf(spec.encoding)) {
      for (uint32_t o = 0; o < run.outer; ++o) {
        for (uint32_t i = 0; i < run.inner; ++i) {
          for (uint32_t k = 0; k < run.width; ++k) {
            const uint32_t bit = run.start + o * run.outerBits + i * run.innerBits + k;
            REQUIRE(bit < named.size());
            ++named[bit];
            CHECK(fieldAt(spec.encoding, bit / 8)->name == run.field);
          }
          const uint32_t first = run.first + o * run.outerElements + i * run.innerElements;
          CHECK(first + (run.span - 1) * run.stride < spec.elements);
        }
      }
    }
    for (const int times : named) REQUIRE(times == 1);
    CHECK(!bitAt(spec.encoding, 8 * spec.bytes));
  }
}

TEST_CASE("block bits: flipping a bit changes values that the map names, and no others") {
  for (const auto& entry : golden::entries()) {
    const EncodingSpec& spec = specOf(entry.encoding);
    CAPTURE(spec.name);
    const auto all = golden::bytes(spec.encoding, "quantized.bin");
    std::vector<uint8_t> block(all.begin(), all.begin() + spec.bytes);
    std::vector<float> before(spec.elements), after(spec.elements);
    REQUIRE(decode(spec.encoding, block, before).ok());
    for (uint32_t bit = 0; bit < 8 * spec.bytes; ++bit) {
      const auto meaning = bitAt(spec.encoding, bit);
      REQUIRE(meaning);
      block[bit / 8] = uint8_t(block[bit / 8] ^ 1 << bit % 8);
      REQUIRE(decode(spec.encoding, block, after).ok());
      block[bit / 8] = uint8_t(block[bit / 8] ^ 1 << bit % 8);
      for (uint32_t i = 0; i < spec.elements; ++i) {
        if (bitsOf(before[i]) != bitsOf(after[i])) REQUIRE(meaning->concerns(i));
      }
    }
  }
}

TEST_CASE("block bits: the significance of a code's bit is what flipping it adds") {
  // One as scale, so that values are codes.
  for (const Encoding encoding :
       {Encoding::Q4_0, Encoding::Q5_0, Encoding::Q2_0, Encoding::TQ2_0}) {
    const EncodingSpec& spec = specOf(encoding);
    CAPTURE(spec.name);
    std::vector<uint8_t> block(spec.bytes);
    for (uint32_t bit = 0; bit < 8 * spec.bytes; ++bit) {
      const auto meaning = *bitAt(encoding, bit);
      if (meaning.role == BitRole::FACTOR && (meaning.significance & 15) >= 10 &&
          meaning.significance < 14) {
        block[bit / 8] = uint8_t(block[bit / 8] | 1 << bit % 8);
      }
    }
    std::vector<float> before(spec.elements), after(spec.elements);
    REQUIRE(decode(encoding, block, before).ok());
    for (uint32_t bit = 0; bit < 8 * spec.bytes; ++bit) {
      const auto meaning = *bitAt(encoding, bit);
      if (meaning.role != BitRole::CODE) continue;
      block[bit / 8] = uint8_t(block[bit / 8] ^ 1 << bit % 8);
      REQUIRE(decode(encoding, block, after).ok());
      block[bit / 8] = uint8_t(block[bit / 8] ^ 1 << bit % 8);
      CHECK(after[meaning.first] - before[meaning.first] == float(1 << meaning.significance));
    }
  }
}

}  // namespace packed
