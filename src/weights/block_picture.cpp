#include "weights/block_picture.h"

#include <algorithm>
#include <array>

#include "encoding/codec.h"
#include "weights/block_match.h"
#include "weights/mending.h"

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

using Cells = std::vector<std::string>;

std::string sideBySide(const Observation& seen, uint64_t rows, uint64_t columns,
                       const Cells& belongs, const Cells& found) {
  const bool more = columns < seen.expected.grid.blocksPerRow;
  std::size_t width = 0;
  for (const std::string& cell : belongs) width = std::max(width, cell.size());
  for (const std::string& cell : found) width = std::max(width, cell.size());
  const std::size_t half = columns * (width + 1) + (more ? 3 : 0) + 2;
  std::string text = "belongs";
  text += std::string(half > text.size() ? half - text.size() : 1, ' ') + "stands there\n";
  for (uint64_t o = 0; o < rows; ++o) {
    std::string line;
    for (uint64_t b = 0; b < columns; ++b) line += centred(belongs[o * columns + b], width) + " ";
    if (more) line += ".. ";
    line += std::string(half > line.size() ? half - line.size() : 0, ' ');
    for (uint64_t b = 0; b < columns; ++b) line += centred(found[o * columns + b], width) + " ";
    if (more) line += "..";
    while (line.back() == ' ') line.pop_back();
    text += line + "\n";
  }
  if (rows < seen.expected.grid.out)
    text += joined("(", counted(seen.expected.grid.out - rows, "more row"), ")\n");
  return text;
}

// Of PLAIN values, the values themselves.
std::string pictureOfValues(const Observation& seen, uint64_t rows, uint64_t columns) {
  const uint32_t size = specOf(seen.expected.encoding).bytes;
  const auto text = [&](Bytes bytes, uint64_t at) -> std::string {
    float value = 0;
    if ((at + 1) * size > bytes.size()) return "-";
    if (!decodable(seen.expected.encoding)) return "?";
    decodeBlocks(seen.expected.encoding, bytes.data() + at * size, 1, &value);
    return joined(static_cast<double>(value));
  };
  Cells belongs;
  Cells found;
  for (uint64_t o = 0; o < rows; ++o) {
    for (uint64_t i = 0; i < columns; ++i) {
      belongs.push_back(text(seen.right, o * seen.expected.grid.blocksPerRow + i));
      found.push_back(text(seen.observed, o * seen.expected.grid.blocksPerRow + i));
    }
  }
  return sideBySide(seen, rows, columns, belongs, found);
}

}  // namespace

std::string pictureOf(const Observation& seen) {
  const BlockGrid grid = seen.expected.grid;
  const uint64_t rows = std::min(kMost, grid.out);
  const uint64_t columns = std::min(kMost, grid.blocksPerRow);
  if (rows == 0 || columns == 0) return "";
  if (seen.plain()) return pictureOfValues(seen, rows, columns);
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
  std::vector<std::string> belongs;
  for (uint64_t o = 0; o < rows; ++o) {
    for (uint64_t b = 0; b < columns; ++b) {
      const uint64_t flat = flatIndex(seen.expected.order, seen.grid, o, b);
      belongs.push_back(name({o, b}));
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
    }
  }
  return sideBySide(seen, rows, columns, belongs, found);
}

}  // namespace packed
