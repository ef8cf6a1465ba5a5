#include "weights/slips.h"

#include <algorithm>

#include "weights/block_match.h"
#include "weights/byte_search.h"
#include "weights/mending.h"
#include "weights/unexplained.h"
#include "weights/verdict.h"

namespace packed {
namespace {

constexpr std::size_t kKey = 16;
constexpr std::size_t kMostPlaces = 8;             // of a key that is repeated
constexpr uint64_t kFarthest = uint64_t{1} << 24;  // bytes
constexpr uint64_t kLeast = 4;                     // blocks, or words, that are displaced

struct Slip {
  uint64_t at = 0;  // of the observed bytes: the first that is wrong
  uint64_t bytes = 0;
  bool late = false;   // they slipped in; else they are lost
  bool twice = false;  // what slipped in is what stands in front of it, once more
};

// Where in the reference byte `from` of the observed ones comes from; at its end, of what slipped
// in.
uint64_t sourceOf(const Observation& seen, const Slip& slip, uint64_t from) {
  if (from < slip.at) return from;
  if (!slip.late) return from + slip.bytes;
  return slip.twice || from >= slip.at + slip.bytes ? from - slip.bytes : seen.right.size();
}

Fit fitSlipped(const Observation& seen, uint64_t window, const Slip& slip) {
  uint64_t from = window * seen.windowBytes();
  const uint64_t length = seen.lengthAt(window);
  const uint64_t end = from + length;
  uint64_t known = 0;
  while (from < end) {
    uint64_t next = end;
    for (const uint64_t border : {slip.at + slip.bytes, slip.at}) {
      if (from < border) next = std::min(next, border);
    }
    const uint64_t source = sourceOf(seen, slip, from);
    const uint64_t size = seen.right.size();
    const uint64_t same = source < size ? std::min(next - from, size - source) : 0;
    if (!sameBytes(seen.observed.data() + from, seen.right.data() + source, same)) {
      return Fit::MISFIT;
    }
    known += same;
    from = next;
  }
  return 2 * known < std::min<uint64_t>(length, seen.blockBytes) ? Fit::UNKNOWABLE : Fit::FITS;
}

// Without what slipped in.
std::string mend(const Observation& seen, const Slip& slip) {
  const uint64_t size = seen.right.size();
  const uint64_t actual = seen.observed.size();
  if (!slip.late) {
    return joined("write the ", counted(slip.bytes, "byte"), " that belong",
                  slip.bytes == 1 ? "s" : "", " there as well: bytes ", slip.at, " to ",
                  slip.at + slip.bytes, " of the weight are not in these bytes");
  }
  const uint64_t end = std::min(actual, size + slip.bytes);
  return joined("leave out ", slip.bytes, ": bytes.subarray(0, ", slip.at, ") and bytes.subarray(",
                slip.at + slip.bytes, ", ", end, ") belong one behind the other",
                end - slip.bytes < size
                    ? joined("; the last ", counted(size + slip.bytes - end, "byte"),
                             " of the weight ", are(size + slip.bytes - end), " missing then")
                    : "");
}

void propose(const Observation& seen, Hypotheses& to, Slip slip) {
  const uint64_t line = seen.grid.blocksPerRow * seen.blockBytes;
  const bool rows = seen.expected.order == BlockOrder::ROW_MAJOR && slip.bytes % line == 0;
  const uint64_t unit = rows ? line : slip.bytes % seen.blockBytes == 0 ? seen.blockBytes : 1;
  const std::string_view noun = rows ? "row" : unit == 1 ? "byte" : seen.noun();
  slip.twice = slip.late && slip.bytes <= slip.at &&
               sameBytes(seen.observed.data() + slip.at, seen.right.data() + slip.at - slip.bytes,
                         slip.bytes);
  to.push_back({DiagnosisKind::SHIFTED,
                joined("right up to ", unit == 1 ? "byte" : seen.noun(), " ",
                       slip.at / (unit == 1 ? 1 : seen.blockBytes), ", where ",
                       counted(slip.bytes / unit, noun), " ", are(slip.bytes / unit),
                       slip.twice  ? " written twice"
                       : slip.late ? " too many"
                                   : " lost"),
                mend(seen, slip),
                [&seen, slip](uint64_t window) { return fitSlipped(seen, window, slip); }});
}

// What belongs at the first wrong byte stands farther behind, or what stands there belongs there.
void proposeSlips(const Observation& seen, Hypotheses& to) {
  const uint64_t common = std::min(seen.observed.size(), seen.right.size());
  uint64_t at = seen.telling[0] * seen.windowBytes();
  while (at < common && seen.observed[at] == seen.right[at]) ++at;
  if (at < std::max<uint64_t>(kKey, seen.blockBytes) || at + kKey > common) return;
  for (const bool late : {true, false}) {
    const Bytes key = (late ? seen.right : seen.observed).subspan(at, kKey);
    const Bytes all = late ? seen.observed : seen.right;
    const Bytes within = all.first(std::min<uint64_t>(all.size(), at + kFarthest));
    uint64_t place = at;
    for (std::size_t tried = 0; tried < kMostPlaces; ++tried) {
      place = findBytes(key, within, place + 1);
      if (place == within.size()) break;
      propose(seen, to, {at, place - at, late});
    }
  }
}

// How many bytes 13 were written before as many 10 of the reference, as a stream of text does; 0
// where that does not explain all that is there.
uint64_t returnsIn(const Observation& seen) {
  uint64_t returns = 0;
  uint64_t next = 0;
  bool returned = false;
  for (const uint8_t byte : seen.observed) {
    if (next == seen.right.size()) return 0;
    if (seen.right[next] == '\n' && !returned) {
      returned = true;
      ++returns;
      if (byte != '\r') return 0;
      continue;
    }
    if (byte != seen.right[next++]) return 0;
    returned = false;
  }
  return returns;
}

}  // namespace

std::optional<Diagnosis> slipped(const Observation& seen) {
  if (seen.telling.empty()) return std::nullopt;
  Hypotheses hypotheses;
  if (const uint64_t returns = returnsIn(seen); returns > 1) {
    const uint64_t missing = seen.right.size() + returns - seen.observed.size();
    hypotheses.push_back(
        {DiagnosisKind::SHIFTED,
         joined("a byte 13 in front of each of ", returns, " bytes 10, as text is written"),
         joined("write to a file that is open for bytes (\"wb\"), not for text",
                missing > 0 ? joined("; ", counted(missing, "byte"), " of the end ", are(missing),
                                     " missing besides")
                            : ""),
         [](uint64_t) { return Fit::FITS; }});
  } else {
    proposeSlips(seen, hypotheses);
  }
  std::vector<Verdict> verdicts;
  const uint64_t least = kLeast * std::max<uint64_t>(1, kKey / seen.blockBytes);
  for (const Hypothesis& hypothesis : hypotheses) {
    const Evidence evidence = evidenceFor(seen, hypothesis);
    if (evidence.whole(seen.blocks) && evidence.fits >= seen.alreadyRight + least) {
      verdicts.push_back({&hypothesis, evidence});
    }
  }
  auto result = settled(seen, verdicts, verdicts);
  if (result && result->kind != DiagnosisKind::SHIFTED) return std::nullopt;
  return result;
}

}  // namespace packed
