#include "weights/block_picture.h"

#include <algorithm>
#include <array>

#include "weights/block_match.h"

namespace packed {
namespace {

constexpr uint64_t kMost = 4;

struct Cell {
  uint64_t hash = 0;
  const uint8_t* bytes = nullptr;
  uint64_t count = 0;  // of equal blocks in the reference
  BlockAt at;
};

std::string centred(std::string text, std::size_t width) {
  const std::size_t missing = width > text.size() ? width - text.size() : 0;
  return std::string(missing / 2, ' ') + text + std::string(missing - missing / 2, ' ');
}

std::string name(BlockAt at) { return joined("(", at.o, ",", at.b, ")"); }

// One pass over the reference for all cells.
void locate(const Observation& seen, std::vector<Cell>& cells) {
  std::array<bool, 256> wanted{};
  for (const Cell& cell : cells) wanted[cell.hash & 255] = true;
  for (uint64_t flat = 0; flat < seen.blocks; ++flat) {
    const uint8_t* block = seen.expected.reference.data() + flat * seen.blockBytes;
    const uint64_t hash = hashOf(block, seen.blockBytes);
    if (!wanted[hash & 255]) continue;
    for (Cell& cell : cells) {
      if (cell.hash != hash || !sameBytes(cell.bytes, block, seen.blockBytes)) continue;
      if (cell.count == 0) cell.at = blockAt(seen.expected.referenceOrder, seen.grid, flat);
      ++cell.count;
    }
  }
}

}  // namespace

std::string pictureOf(const Observation& seen) {
  const uint64_t rows = std::min(kMost, seen.grid.out);
  const uint64_t columns = std::min(kMost, seen.grid.blocksPerRow);
  if (rows == 0 || columns == 0) return "";
  std::vector<Cell> cells;
  for (uint64_t o = 0; o < rows; ++o) {
    for (uint64_t b = 0; b < columns; ++b) {
      const uint64_t start = flatIndex(seen.expected.order, seen.grid, o, b) * seen.blockBytes;
      if (start + seen.blockBytes > seen.observed.size()) continue;
      const uint8_t* bytes = seen.observed.data() + start;
      cells.push_back({hashOf(bytes, seen.blockBytes), bytes, 0, {}});
    }
  }
  locate(seen, cells);
  std::size_t next = 0;
  std::vector<std::string> found;
  std::size_t width = name({rows - 1, columns - 1}).size();
  for (uint64_t o = 0; o < rows; ++o) {
    for (uint64_t b = 0; b < columns; ++b) {
      const uint64_t flat = flatIndex(seen.expected.order, seen.grid, o, b);
      if ((flat + 1) * seen.blockBytes > seen.observed.size()) {
        found.push_back("-");
        continue;
      }
      const Cell& cell = cells[next++];
      const bool right = sameBytes(cell.bytes, seen.rightAt(flat), seen.blockBytes);
      found.push_back(right             ? name({o, b})
                      : cell.count == 0 ? "?"
                      : cell.count > 1  ? "="
                                        : name(cell.at));
      width = std::max(width, found.back().size());
    }
  }
  const bool more = columns < seen.grid.blocksPerRow;
  const std::size_t half = columns * (width + 1) + (more ? 3 : 0) + 2;
  std::string text = "belongs";
  text += std::string(half > text.size() ? half - text.size() : 1, ' ') + "stands there\n";
  for (uint64_t o = 0; o < rows; ++o) {
    std::string line;
    for (uint64_t b = 0; b < columns; ++b) line += centred(name({o, b}), width) + " ";
    if (more) line += ".. ";
    line += std::string(half > line.size() ? half - line.size() : 0, ' ');
    for (uint64_t b = 0; b < columns; ++b) line += centred(found[o * columns + b], width) + " ";
    if (more) line += "..";
    while (line.back() == ' ') line.pop_back();
    text += line + "\n";
  }
  if (rows < seen.grid.out) text += joined("(", seen.grid.out - rows, " more rows)\n");
  return text;
}

}  // namespace packed
