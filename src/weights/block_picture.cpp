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

// The part of the grid that is shown: its first rows and columns, or those from the first wrong
// block on.
struct Part {
  uint64_t o = 0, rows = 0;
  uint64_t b = 0, columns = 0;
};

uint64_t startOf(uint64_t wrong, uint64_t shown, uint64_t all) {
  return wrong < shown ? 0 : std::min(wrong, all - shown);
}

Part shownPart(const Observation& seen) {
  const BlockGrid grid = seen.expected.grid;
  Part part{0, std::min(kMost, grid.out), 0, std::min(kMost, grid.blocksPerRow)};
  if (seen.blocks == 0) return part;
  const BlockAt wrong = blockAt(seen.expected.order, grid, firstWrong(seen));
  part.o = startOf(wrong.o, part.rows, grid.out);
  part.b = startOf(wrong.b, part.columns, grid.blocksPerRow);
  return part;
}

std::string sideBySide(const Observation& seen, Part part, const Cells& belongs,
                       const Cells& found) {
  const BlockGrid grid = seen.expected.grid;
  const std::string before = part.b > 0 ? ".. " : "";
  const std::string after = part.b + part.columns < grid.blocksPerRow ? ".. " : "";
  std::size_t width = 0;
  for (const std::string& cell : belongs) width = std::max(width, cell.size());
  for (const std::string& cell : found) width = std::max(width, cell.size());
  const std::size_t half = before.size() + part.columns * (width + 1) + after.size() + 2;
  std::string text = "belongs";
  text += std::string(half > text.size() ? half - text.size() : 1, ' ') + "stands there\n";
  if (part.o > 0) text += joined("(", counted(part.o, "row"), " before)\n");
  for (uint64_t o = 0; o < part.rows; ++o) {
    std::string line;
    const auto add = [&](const Cells& cells) {
      line += before;
      for (uint64_t b = 0; b < part.columns; ++b) {
        line += centred(cells[o * part.columns + b], width) + " ";
      }
      line += after;
    };
    add(belongs);
    line += std::string(half > line.size() ? half - line.size() : 0, ' ');
    add(found);
    while (line.back() == ' ') line.pop_back();
    text += line + "\n";
  }
  if (const uint64_t more = grid.out - part.o - part.rows)
    text += joined("(", counted(more, "more row"), ")\n");
  return text;
}

// What the signs mean that stand for no block.
std::string legendOf(const Cells& found) {
  std::string legend;
  for (const auto& [sign, meaning] : {std::pair{"?", "no block of the reference"},
                                      {"=", "one of several equal blocks"},
                                      {"-", "nothing: the bytes have ended"}}) {
    if (std::find(found.begin(), found.end(), sign) == found.end()) continue;
    legend += joined(legend.empty() ? "" : ", ", sign, " ", meaning);
  }
  return legend.empty() ? "" : legend + "\n";
}

// Of PLAIN values, the values themselves.
std::string pictureOfValues(const Observation& seen, Part part) {
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
  for (uint64_t o = part.o; o < part.o + part.rows; ++o) {
    for (uint64_t i = part.b; i < part.b + part.columns; ++i) {
      belongs.push_back(text(seen.right, o * seen.expected.grid.blocksPerRow + i));
      found.push_back(text(seen.observed, o * seen.expected.grid.blocksPerRow + i));
    }
  }
  return sideBySide(seen, part, belongs, found);
}

}  // namespace

std::string pictureOf(const Observation& seen) {
  const Part part = shownPart(seen);
  if (part.rows == 0 || part.columns == 0) return "";
  if (seen.plain()) return pictureOfValues(seen, part);
  std::vector<Cell> cells;
  for (uint64_t o = part.o; o < part.o + part.rows; ++o) {
    for (uint64_t b = part.b; b < part.b + part.columns; ++b) {
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
  for (uint64_t o = part.o; o < part.o + part.rows; ++o) {
    for (uint64_t b = part.b; b < part.b + part.columns; ++b) {
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
  return sideBySide(seen, part, belongs, found) + legendOf(found);
}

}  // namespace packed
