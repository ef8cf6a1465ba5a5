// What is there is right, but the end is not: bytes missing, left over, or never written.
#include <algorithm>

#include "encoding/codec.h"
#include "weights/block_match.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"

namespace packed {
namespace {

Fit fitFirst(const Observation& seen, uint64_t window, uint64_t bytes) {
  const uint64_t from = window * seen.windowBytes();
  const uint64_t length = std::min(seen.lengthAt(window), from < bytes ? bytes - from : 0);
  return sameBytes(seen.seenAt(window), seen.right.data() + from, length) ? Fit::FITS : Fit::MISFIT;
}

// Whether something else than zeros belongs where the bytes differ from one on.
bool lacksContentFrom(const Observation& seen, uint64_t byte) {
  const Encoding encoding = seen.expected.encoding;
  if (!decodable(encoding)) return true;
  const uint32_t elements = specOf(encoding).elements;
  float values[kMaxBlockElements];
  for (uint64_t f = byte / seen.blockBytes; f < seen.blocks; ++f) {
    const uint64_t at = f * seen.blockBytes;
    const uint8_t* right = seen.right.data() + at;
    if (at + seen.blockBytes <= seen.observed.size() &&
        sameBytes(seen.observed.data() + at, right, seen.blockBytes)) {
      continue;
    }
    decodeBlocks(encoding, right, 1, values);
    if (std::any_of(values, values + elements, [](float value) { return value != 0; })) return true;
  }
  return false;
}

// A file that got its full size before its content, or a buffer that was not filled: zeros to the
// end. Fewer than a block, or than a few numbers, are no end but damage.
void proposeUnwritten(const Observation& seen, Hypotheses& to) {
  constexpr uint64_t kLeast = 32;
  static constexpr uint8_t kZeros[4096] = {};
  const uint64_t actual = seen.observed.size(), expected = seen.right.size();
  uint64_t written = actual;
  const uint8_t* bytes = seen.observed.data();
  while (written >= sizeof kZeros &&
         sameBytes(bytes + written - sizeof kZeros, kZeros, sizeof kZeros))
    written -= sizeof kZeros;
  while (written > 0 && bytes[written - 1] == 0) --written;
  if (written == 0 || actual - written < std::max<uint64_t>(kLeast, seen.blockBytes) ||
      !lacksContentFrom(seen, written)) {
    return;
  }
  to.push_back(
      {DiagnosisKind::TRUNCATED,
       joined("from byte ", written, " of ", actual, " on there are zeros only"),
       joined("the last ", counted(actual - written, "byte"),
              " were never written: write the rest, and check that writing finished",
              actual < expected ? joined("; ", counted(expected - actual, "byte"), " behind them ",
                                         are(expected - actual), " missing")
                                : ""),
       [&seen, written](uint64_t window) { return fitFirst(seen, window, written); }});
}

}  // namespace

void proposeEnds(const Observation& seen, Hypotheses& to) {
  const uint64_t expected = seen.right.size();
  const uint64_t actual = seen.observed.size();
  const auto same = [&seen, expected](uint64_t window) {
    return window * seen.windowBytes() < expected ? fitFirst(seen, window, expected)
                                                  : Fit::UNKNOWABLE;
  };
  if (actual == expected) {
    proposeUnwritten(seen, to);
  } else if (actual < expected) {
    to.push_back({DiagnosisKind::TRUNCATED, joined("needs ", expected, " bytes, has ", actual),
                  joined("the last ", counted(expected - actual, "byte"), " ",
                         are(expected - actual), " not there: download or write the rest"),
                  same});
    proposeUnwritten(seen, to);
  } else {
    to.push_back({DiagnosisKind::FOREIGN,
                  joined(counted(actual - expected, "byte"), " after the last ", seen.noun(),
                         actual - expected == 1 ? " belongs" : " belong", " to none"),
                  joined("hand over bytes.subarray(0, ", expected, ")"), same});
  }
}

}  // namespace packed
