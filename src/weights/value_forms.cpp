// PLAIN encodings, against a reference: the values of the reference with the axes exchanged, in the
// other byte order, or all off by one term or one factor. How blocks move does not apply to them,
// how rows and bytes move does. And of any encoding: all bytes in the other byte order, as words.
#include <algorithm>
#include <array>
#include <cmath>

#include "encoding/codec.h"
#include "weights/block_match.h"
#include "weights/hypothesis.h"
#include "weights/line_fit.h"

namespace packed {
namespace {

// Calls ask<Word>() with the unsigned integer that is as wide as a value.
template <class Ask>
Fit askByWidth(uint32_t valueBytes, Ask ask) {
  switch (valueBytes) {
    case 1:
      return ask.template operator()<uint8_t>();
    case 2:
      return ask.template operator()<uint16_t>();
    case 4:
      return ask.template operator()<uint32_t>();
    default:
      return ask.template operator()<uint64_t>();
  }
}

// Value k of an observed window is value (o, i) of the right matrix that begins at `slice`, with
// the axes exchanged; o is walked first.
template <class Word>
Fit fitTransposed(const Observation& seen, uint64_t window, uint64_t rows, uint64_t columns) {
  const uint8_t* found = seen.seenAt(window);
  const uint64_t inSlice = window * seen.run % (rows * columns);
  const uint8_t* slice = seen.rightAt(window) - inSlice * sizeof(Word);
  uint64_t o = inSlice % rows;
  uint64_t i = inSlice / rows;
  for (uint64_t left = seen.countAt(window); left > 0; --left, found += sizeof(Word)) {
    const uint8_t* right = slice + (o * columns + i) * sizeof(Word);
    if (loadLE<Word>(found) != loadLE<Word>(right)) return Fit::MISFIT;
    if (++o < rows) continue;
    o = 0;
    if (++i < columns) continue;
    i = 0;
    slice += rows * columns * sizeof(Word);
  }
  return Fit::FITS;
}

// Of every `word` bytes the last stands first. Fewer of them at the end are left open.
Fit fitReversed(const Observation& seen, uint64_t window, uint64_t word) {
  const uint64_t from = window * seen.windowBytes();
  const uint64_t whole = seen.observed.size() / word * word;
  const uint64_t end = std::min(from + seen.lengthAt(window), whole);
  for (uint64_t at = from; at < end; ++at) {
    if (seen.observed[at] != seen.right[at ^ (word - 1)]) return Fit::MISFIT;
  }
  return from < end ? Fit::FITS : Fit::UNKNOWABLE;
}

// The matrix, or each matrix of a stack of equal ones, with its two axes exchanged: to the byte
// what rows `woven` by as many are.
void proposeTransposed(const Observation& seen, Hypotheses& to, uint64_t slices, bool woven) {
  const uint64_t rows = seen.grid.out / slices;
  const uint64_t columns = seen.grid.blocksPerRow;
  const std::string shape = joined("[", rows, ", ", columns, "]");
  const std::string turned = joined("[", columns, ", ", rows, "]");
  to.push_back(
      {woven ? DiagnosisKind::INTERLEAVED_ROWS : DiagnosisKind::OTHER_ORDER,
       woven         ? joined("values of ", rows, " rows in turn")
       : slices == 1 ? joined("transposed: ", turned, " where ", shape, " is expected")
                     : joined("each of ", slices, " slices transposed: ", turned, " where ", shape,
                              " is expected"),
       woven ? "write each row's values next to each other"
             : joined("exchange the two axes once: pw.view(", slices == 1 ? "bytes" : "slice",
                      ", { encoding: '", nameOf(seen.expected.encoding), "', shape: ", turned,
                      ", order: 'ROW_MAJOR' }).transpose() reads it as ", shape),
       [&seen, rows, columns](uint64_t window) {
         return askByWidth(seen.blockBytes, [&]<class Word>() {
           return fitTransposed<Word>(seen, window, rows, columns);
         });
       },
       rows,
       [rows, columns](uint64_t flat) {
         const uint64_t inSlice = flat % (rows * columns);
         return BlockAt{flat / (rows * columns) * rows + inSlice % rows, inSlice / rows};
       }});
}

// Of whole values, or of words that whoever wrote the bytes took them for.
void proposeByteOrder(const Observation& seen, Hypotheses& to) {
  const uint32_t size = seen.blockBytes;
  for (const uint64_t word : {2u, 4u, 8u}) {
    const bool values = seen.plain() && word == size;
    to.push_back(
        {DiagnosisKind::SCALE_BYTES,
         values ? std::string("values big-endian") : joined("each ", word, " bytes in reverse"),
         values
             ? std::string("write every value little-endian, or mark the whole file as big-endian")
             : joined("turn each ", word, " bytes round: they were written as numbers of ",
                      8 * word, " bits, big-endian"),
         [&seen, word](uint64_t window) { return fitReversed(seen, window, word); }});
    if (!values) continue;
    to.back().undo = [size](const uint8_t* found, uint8_t* value) {
      std::reverse_copy(found, found + size, value);
    };
  }
}

Rounding roundingOf(Encoding encoding) {
  switch (encoding) {
    case Encoding::F16:
      return {0x1p-10, 0x1p-24};
    case Encoding::BF16:
      return {0x1p-7, 0};
    case Encoding::I8:
    case Encoding::I16:
      return {};
    default:
      return {0x1p-22, 0};
  }
}

// The shortest number that is the same within `slack`.
double shortened(double value, double slack) {
  for (double scale = 1; scale <= 1024; scale *= 2) {
    const double shorter = std::round(value * scale) / scale;
    if (std::abs(shorter - value) <= slack && shorter != 0) return shorter;
  }
  return value;
}

void proposeLine(const Observation& seen, Hypotheses& to, Line line, std::string variant) {
  to.push_back({DiagnosisKind::CONSTANT_OFFSET, std::move(variant),
                "a constant is a convention, not a layout: find out whether writer or reader "
                "applies it, and apply it once",
                [&seen, line, rounding = roundingOf(seen.expected.encoding)](uint64_t window) {
                  std::array<float, kRun> found, right;
                  const auto count = static_cast<std::size_t>(seen.countAt(window));
                  decodeBlocks(seen.expected.encoding, seen.seenAt(window), count, found.data());
                  decodeBlocks(seen.expected.encoding, seen.rightAt(window), count, right.data());
                  bool exact = true;
                  bool changed = line.term == 0;  // else the term is lost: see LineFit
                  for (uint32_t i = 0; exact && i < count; ++i) {
                    const double wanted = static_cast<double>(right[i]) * line.factor + line.term;
                    exact &= found[i] == static_cast<float>(wanted);
                    changed |= found[i] != right[i];
                  }
                  if (exact && changed) return Fit::FITS;
                  return fitLine(line, rounding, {found.data(), count}, {right.data(), count});
                }});
}

// The term from the smallest pair of values, which is rounded least; the factor that lies in the
// middle of all, between those that rounding or damage made larger and smaller.
void proposeConstants(const Observation& seen, Hypotheses& to) {
  const Rounding rounding = roundingOf(seen.expected.encoding);
  const uint32_t size = seen.blockBytes;
  double smallest = INFINITY;
  double term = 0;
  std::vector<double> factors;
  bool sameFound = true;
  bool sameRight = true;
  double first[2] = {};
  for (uint64_t i = 0; i < std::min<uint64_t>(seen.blocks, 4096); ++i) {
    float values[2];
    decodeBlocks(seen.expected.encoding, seen.observed.data() + i * size, 1, values);
    decodeBlocks(seen.expected.encoding, seen.right.data() + i * size, 1, values + 1);
    const auto found = static_cast<double>(values[0]);
    const auto right = static_cast<double>(values[1]);
    if (i == 0) first[0] = found, first[1] = right;
    sameFound &= found == first[0];
    sameRight &= right == first[1];
    if (found == right || !std::isfinite(found) || !std::isfinite(right)) continue;
    if (right != 0 && found != 0) factors.push_back(found / right);
    const double magnitude = std::abs(found) + std::abs(right);
    if (magnitude >= smallest) continue;
    smallest = magnitude;
    term = shortened(found - right, rounding.absolute + rounding.relative * magnitude);
  }
  // Memory full of one number: a term so large that it swallows the reference leaves nothing of it.
  if (sameFound && !sameRight) return;
  if (term != 0) {
    proposeLine(seen, to, {1, term},
                joined("differs by a constant ", term, std::trunc(term) == term ? ".0" : ""));
  }
  if (factors.empty()) return;
  const auto middle = factors.begin() + static_cast<std::ptrdiff_t>(factors.size() / 2);
  std::nth_element(factors.begin(), middle, factors.end());
  const double shortest = shortened(*middle, rounding.relative * std::abs(*middle));
  const auto propose = [&](double factor) {
    if (factor == 1) return;
    proposeLine(seen, to, {factor, 0}, joined("every value is ", factor, " times the reference's"));
  };
  propose(shortest);
  if (*middle != shortest) propose(*middle);
}

}  // namespace

void proposeValueForms(const Observation& seen, Hypotheses& to) {
  if (!seen.sameSize() || seen.blocks == 0) return;
  proposeByteOrder(seen, to);
  if (!seen.plain()) return;
  if (seen.grid.blocksPerRow > 1) {
    for (const uint64_t slices : divisorsOf(seen.grid.out)) {
      if (slices == seen.grid.out) continue;
      proposeTransposed(seen, to, slices, false);
      const uint64_t rows = seen.grid.out / slices;
      if (slices > 1 && (rows == 4 || rows == 8)) proposeTransposed(seen, to, slices, true);
    }
  }
  if (decodable(seen.expected.encoding)) proposeConstants(seen, to);
}

}  // namespace packed
