// Whole rows, or whole columns of blocks, in other places: moved along, put in a sequence that is
// known, or in any other: that they are the same rows is seen by the sum of their hashes, whatever
// their sequence, and then proved.
#include <array>

#include "weights/block_match.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"
#include "weights/row_proof.h"

namespace packed {
namespace {

// Lines that lie in memory block by block in turn: rows of INPUT_BLOCK_MAJOR, columns of ROW_MAJOR.
// (Whole stretches of memory that have moved are proposed where bytes have.)
struct Move {
  uint64_t lines = 0;
  uint64_t by = 0;  // line l is right line l + by, or, if `late`, l - by
  bool late = false;
  bool round = false;
};

Fit fitMoved(const Observation& seen, uint64_t window, const Move& move) {
  uint64_t flat = window * seen.run;
  uint64_t line = flat % move.lines;
  Fit fit = Fit::UNKNOWABLE;
  for (uint64_t left = seen.countAt(window); left > 0;) {
    const bool over = line + move.by >= move.lines;
    const bool known = move.round || (move.late ? line >= move.by : !over);
    const uint64_t from = move.late ? line - move.by : line + move.by - (over ? move.lines : 0);
    uint64_t count = std::min(left, move.lines - line);
    if (known) {
      count = std::min(count, move.lines - from);
    } else if (move.late) {
      count = std::min(count, move.by - line);
    }
    if (known) {
      if (!sameBytes(seen.observed.data() + flat * seen.blockBytes,
                     seen.right.data() + (flat - line + from) * seen.blockBytes,
                     count * seen.blockBytes)) {
        return Fit::MISFIT;
      }
      fit = Fit::FITS;
    }
    flat += count;
    left -= count;
    line = line + count == move.lines ? 0 : line + count;
  }
  return fit;
}

void proposeMoved(const Observation& seen, Hypotheses& to, const Move& move) {
  const bool rows = seen.expected.order == BlockOrder::INPUT_BLOCK_MAJOR;
  const std::string_view noun = rows ? "row" : seen.noun();
  std::string variant;
  std::string fix;
  if (move.round) {
    const std::string_view within = rows ? "" : " in each row";
    variant = joined("rotated by ", counted(std::min(move.by, move.lines - move.by), noun), within);
    fix = joined("rotate back", within, ": ", noun, " 0 stands in place ", move.lines - move.by,
                 ", nothing is lost");
  } else {
    const std::string many = counted(move.by, noun);
    variant = joined(many, move.late ? " late" : " early", rows ? "" : " in each row");
    fix = joined(rows ? "" : "in each row, ", "start ", many,
                 move.late ? std::string(" later: what stands first does not belong there")
                           : joined(" earlier: the first ", noun, move.by == 1 ? " is" : "s are",
                                    " missing"));
  }
  to.push_back({DiagnosisKind::SHIFTED, std::move(variant), std::move(fix),
                [&seen, move](uint64_t window) { return fitMoved(seen, window, move); }});
}

// Wherever the first line may have come to lie.
void proposeMoves(const Observation& seen, Hypotheses& to) {
  const bool rows = seen.expected.order == BlockOrder::INPUT_BLOCK_MAJOR;
  const uint64_t lines = rows ? seen.grid.out : seen.grid.blocksPerRow;
  // One stretch of memory.
  if (lines == seen.blocks) return;
  const auto same = [&](uint64_t found, uint64_t right) {
    for (uint64_t at = 0; at < seen.blocks; at += lines) {
      if (!sameBytes(seen.observed.data() + (at + found) * seen.blockBytes,
                     seen.right.data() + (at + right) * seen.blockBytes, seen.blockBytes)) {
        return false;
      }
    }
    return true;
  };
  std::size_t tried = 0;
  for (uint64_t by = 1; by < lines && tried < 4; ++by) {
    const bool early = same(0, by);
    const bool late = same(by, 0);
    if (!early && !late) continue;
    ++tried;
    if (early) proposeMoved(seen, to, {lines, by, false, true});
    proposeMoved(seen, to, {lines, by, !early, false});
  }
}

// Query and key rows of attention heads come half-split (0 1 2 .. of the even dimensions, then the
// odd ones) or interleaved, depending on who wrote them.
enum class Pattern : uint8_t { REVERSE, INTERLEAVED, SPLIT };

struct Rows {
  Pattern pattern;
  uint64_t head;  // rows of each, or all

  // Which right row stands in place of row o.
  uint64_t from(uint64_t o) const {
    const uint64_t in = o % head;
    switch (pattern) {
      case Pattern::REVERSE:
        return head - 1 - o;
      case Pattern::INTERLEAVED:
        return o - in + in % 2 * (head / 2) + in / 2;
      default:
        return o - in + in % (head / 2) * 2 + in / (head / 2);
    }
  }
};

constexpr const char* kPutBack =
    "put the rows back where the model's code expects them when converting: what is inside a row "
    "is untouched, so whole rows can be copied";

// A vector of values has a value per row: it goes with the rows of a matrix, as biases do.
BlockGrid rowsOf(const Observation& seen) {
  return seen.plain() && seen.grid.out == 1 ? BlockGrid{seen.grid.blocksPerRow, 1} : seen.grid;
}

void propose(const Observation& seen, Hypotheses& to, Rows rows, std::string variant) {
  const BlockGrid grid = rowsOf(seen);
  const BlockOrder order = seen.expected.order;
  to.push_back(
      {DiagnosisKind::ROW_PERMUTATION, std::move(variant), kPutBack,
       [&seen, grid, order, rows](uint64_t window) {
         uint64_t flat = window * seen.run;
         for (uint64_t left = seen.countAt(window); left > 0;) {
           const BlockAt at = blockAt(order, grid, flat);
           const uint64_t count =
               order == BlockOrder::ROW_MAJOR ? std::min(left, grid.blocksPerRow - at.b) : 1;
           const uint64_t from = flatIndex(order, grid, rows.from(at.o), at.b);
           if (!sameBytes(seen.observed.data() + flat * seen.blockBytes,
                          seen.right.data() + from * seen.blockBytes, count * seen.blockBytes)) {
             return Fit::MISFIT;
           }
           flat += count;
           left -= count;
         }
         return Fit::FITS;
       },
       0,
       [&seen, grid, order, rows](uint64_t flat) {
         const BlockAt at = blockAt(order, grid, flat);
         const BlockAt from{rows.from(at.o), at.b};
         return seen.grid == grid ? from : BlockAt{0, from.o};
       }});
}

void proposePatterns(const Observation& seen, Hypotheses& to) {
  const uint64_t n = rowsOf(seen).out;
  propose(seen, to, {Pattern::REVERSE, n}, "rows in reverse");
  for (const uint64_t head : divisorsOf(n)) {
    if (head < 4 || head % 2 != 0) continue;
    // In heads of 4 one is the other: 0 2 1 3.
    const std::string heads = joined(", heads of ", head, " rows");
    propose(seen, to, {Pattern::INTERLEAVED, head},
            (head == 4 ? "interleaved and half-split exchanged"
                       : "interleaved where half-split is expected") +
                heads);
    if (head > 4) {
      propose(seen, to, {Pattern::SPLIT, head}, "half-split where interleaved is expected" + heads);
    }
  }
}

// Spread, because what equals in sum must equal one by one.
uint64_t spread(uint64_t hash) {
  hash = (hash ^ hash >> 32) * 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 29;
}

// Rows of a single value.
template <class Value, class Visit>
void forValueHashes(const uint8_t* bytes, uint64_t rows, Visit visit) {
  for (uint64_t row = 0; row < rows; ++row) {
    visit(row, spread((loadLE<Value>(bytes + row * sizeof(Value)) + 1) * 0x9E3779B97F4A7C15u));
  }
}

// Calls visit(row, hash) for every row in turn. Where rows do not lie in one piece, some are walked
// side by side.
template <class Visit>
void forRowHashes(const Observation& seen, const uint8_t* bytes, Visit visit) {
  const BlockGrid grid = rowsOf(seen);
  const GridStrides strides = stridesOf(seen.expected.order, grid);
  const bool whole = strides.block == 1;
  const uint64_t size = seen.blockBytes * (whole ? grid.blocksPerRow : 1);
  if (whole && size == 4) return forValueHashes<uint32_t>(bytes, grid.out, visit);
  if (whole && size == 8) return forValueHashes<uint64_t>(bytes, grid.out, visit);
  if (whole && size == 2) return forValueHashes<uint16_t>(bytes, grid.out, visit);
  std::array<uint64_t, 1024> hashes;
  const uint64_t side = whole ? 1 : hashes.size();
  for (uint64_t first = 0; first < grid.out; first += side) {
    const uint64_t count = std::min(side, grid.out - first);
    std::fill_n(hashes.begin(), count, uint64_t{0});
    for (uint64_t b = 0; b < (whole ? 1 : grid.blocksPerRow); ++b) {
      const uint8_t* at = bytes + strides.at(first, b) * seen.blockBytes;
      for (uint64_t i = 0; i < count; ++i, at += size) {
        hashes[i] = (hashes[i] ^ hashOf(at, size)) * 0x9E3779B97F4A7C15u;
      }
    }
    for (uint64_t i = 0; i < count; ++i) visit(first + i, spread(hashes[i]));
  }
}

// Whether a more specific hypothesis already explains what "rows in any sequence" would. A
// rotation of most of three or more rows is a shift and nothing else; one of two rows, or one that
// leaves most rows equal, is an exchange as well.
bool saidBetter(const Observation& seen, const Hypotheses& proposed) {
  const bool many = seen.blocks > 1 << 16;
  const bool most = rowsOf(seen).out > 2 && seen.alreadyRight * 2 < seen.blocks;
  return std::any_of(proposed.begin(), proposed.end(), [&](const Hypothesis& hypothesis) {
    if (!many && !(most && hypothesis.kind == DiagnosisKind::SHIFTED)) return false;
    const Evidence found = probed(seen, hypothesis);
    return found.misfits == 0 && found.unknowable == 0;
  });
}

// Where to begin to show which rows were found: at the first ones, if one of them is wrong.
uint64_t firstShown(const Observation& seen, uint64_t rows, uint64_t shown) {
  const uint64_t wrong = blockAt(seen.expected.order, rowsOf(seen), firstWrong(seen)).o;
  return wrong + 1 < shown ? 0 : std::min(wrong, rows - shown);
}

}  // namespace

void proposeRowPermutations(const Observation& seen, Hypotheses& to) {
  if (!seen.sameSize() || seen.blocks == 0) return;
  proposeMoves(seen, to);
  proposePatterns(seen, to);
}

void proposeOtherRows(const Observation& seen, Hypotheses& to) {
  constexpr uint64_t kShown = 8;
  constexpr uint64_t kNone = UINT64_MAX;
  if (!seen.sameByteSums || seen.blocks == 0 || saidBetter(seen, to)) return;
  const uint64_t rows = rowsOf(seen).out;
  const uint64_t shown = std::min(rows, kShown);
  const uint64_t first = firstShown(seen, rows, shown);
  std::array<uint64_t, kShown> wanted{};
  std::array<uint64_t, kShown> from;
  from.fill(kNone);
  std::array<bool, 256> mayBeWanted{};
  uint64_t difference = 0;
  RowProof proof(seen, rowsOf(seen));
  forRowHashes(seen, seen.observed.data(), [&](uint64_t row, uint64_t hash) {
    difference += hash;
    proof.found(row, hash);
    if (row < first || row - first >= shown) return;
    wanted[row - first] = hash;
    mayBeWanted[hash & 255] = true;
  });
  forRowHashes(seen, seen.right.data(), [&](uint64_t row, uint64_t hash) {
    difference -= hash;
    proof.right(row, hash);
    if (!mayBeWanted[hash & 255]) return;
    // Of equal rows each stands in its own place if it can, and gives way to the one that does.
    if (row >= first && row - first < shown && wanted[row - first] == hash) {
      std::swap(from[row - first], row);
      if (row == kNone) return;
    }
    for (uint64_t l = 0; l < shown; ++l) {
      if (wanted[l] != hash || from[l] != kNone) continue;
      from[l] = row;
      return;
    }
  });
  if (difference != 0 || !proof.holds()) return;
  std::string text;
  for (uint64_t l = 0; l < shown; ++l) text += joined(l == 0 ? "" : " ", from[l]);
  to.push_back({DiagnosisKind::ROW_PERMUTATION,
                joined("rows found", first > 0 ? joined(" from row ", first, " on") : "", ": ",
                       text, rows > first + shown ? " .." : "",
                       proof.complete() ? "" : "; that all are the same is said by their hashes"),
                kPutBack, [](uint64_t) { return Fit::FITS; }});
}

}  // namespace packed
