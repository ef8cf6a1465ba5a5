// The sixteen 6-bit numbers of a K block (scales, or scales and minimums) written bit after bit,
// as anybody would who does not know how ggml splits them. Codes and float scales are untouched.
#include <array>
#include <cstring>

#include "encoding/block_anatomy.h"
#include "encoding/q3_k.h"
#include "encoding/q4_k.h"
#include "weights/block_match.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"

namespace packed {
namespace {

constexpr uint32_t kBytes = 12;
using Numbers = std::array<uint8_t, 16>;

// Eight scales, then eight minimums; of Q3_K sixteen scales, which are stored 32 higher.
Numbers numbersOf(const uint8_t* field, bool minimums) {
  int16_t unpacked[16];
  if (minimums) {
    unpackScalesAndMins(field, unpacked, unpacked + 8);
  } else {
    unpackScales(field, unpacked);
  }
  Numbers numbers;
  for (std::size_t i = 0; i < 16; ++i) {
    numbers[i] = static_cast<uint8_t>(unpacked[i] + (minimums ? 0 : 32));
  }
  return numbers;
}

// Number i at bit 6 * i; `inTurn` a scale and its minimum next to each other.
void writeInSequence(const Numbers& numbers, bool inTurn, uint8_t* to) {
  std::memset(to, 0, kBytes);
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t number = numbers[inTurn ? i % 2 * 8 + i / 2 : i] << (i * 6 % 8);
    to[i * 6 / 8] = static_cast<uint8_t>(to[i * 6 / 8] | number);
    if (number > 255) to[i * 6 / 8 + 1] = static_cast<uint8_t>(number >> 8);
  }
}

}  // namespace

void proposeSixBitScales(const Observation& seen, Hypotheses& to) {
  const Encoding encoding = seen.expected.encoding;
  const bool minimums = encoding == Encoding::Q4_K || encoding == Encoding::Q5_K;
  if (!seen.sameSize() || (!minimums && encoding != Encoding::Q3_K)) return;
  uint32_t at = 0;
  for (const BlockField& field : anatomyOf(encoding)) {
    if (field.name == "scales") at = field.offset;
  }
  for (const bool inTurn : {false, true}) {
    if (inTurn && !minimums) break;
    to.push_back({DiagnosisKind::SCALES_ONLY,
                  inTurn     ? "6-bit scales and minimums in turn, bit after bit"
                  : minimums ? "6-bit scales, then minimums, bit after bit"
                             : "6-bit scales bit after bit",
                  joined("write the 12 bytes of scales as blockBits('", nameOf(encoding),
                         "') has them: their high bits stand apart"),
                  [&seen, at, minimums, inTurn](uint64_t window) {
                    const uint8_t* found = seen.seenAt(window);
                    const uint8_t* right = seen.rightAt(window);
                    const uint32_t end = at + kBytes;
                    if (!sameBytes(found, right, at) ||
                        !sameBytes(found + end, right + end, seen.blockBytes - end)) {
                      return Fit::MISFIT;
                    }
                    uint8_t scales[kBytes];
                    writeInSequence(numbersOf(right + at, minimums), inTurn, scales);
                    return sameBytes(found + at, scales, kBytes) ? Fit::FITS : Fit::MISFIT;
                  }});
  }
}

}  // namespace packed
