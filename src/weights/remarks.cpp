#include "weights/remarks.h"

#include <cmath>
#include <vector>

#include "base/half.h"
#include "encoding/block_anatomy.h"
#include "encoding/codec.h"
#include "weights/block_match.h"
#include "weights/mending.h"

namespace packed {
namespace {

bool nearly(float found, float right) {
  return found == right || std::abs(found - right) <= std::abs(right) / 128;
}

float floatOfBf16(const uint8_t* at) {
  float value = 0;
  decodeBlocks(Encoding::BF16, at, 1, &value);
  return value;
}

// Whether every F16 of the field is the reference's once it is read as BF16.
bool isBf16(const Observation& seen, const BlockField& field) {
  if (field.type != FieldType::F16) return false;
  for (uint64_t f = 0; f < seen.blocks; ++f) {
    for (uint32_t at = field.offset; at < field.offset + field.bytes(); at += 2) {
      if (!nearly(floatOfBf16(seen.seenAt(f) + at), loadHalf(seen.rightAt(f) + at))) return false;
    }
  }
  return true;
}

// Whether a field is the reference's in every block.
bool isRight(const Observation& seen, const BlockField& field) {
  for (uint64_t f = 0; f < seen.blocks; ++f) {
    if (!sameBytes(seen.seenAt(f) + field.offset, seen.rightAt(f) + field.offset, field.bytes()))
      return false;
  }
  return true;
}

std::string listed(const std::vector<std::string_view>& names, std::string_view last) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    list += joined(i == 0 ? "" : i + 1 == names.size() ? last : ", ", names[i]);
  }
  return list;
}

// Which column of the reference stands in each place of a row, the same in all rows; empty where
// that is not so.
std::vector<uint64_t> columnsFound(const Observation& seen) {
  const BlockGrid grid = seen.grid;
  std::vector<uint64_t> columns;
  std::vector<bool> taken(static_cast<std::size_t>(grid.blocksPerRow));
  const auto stands = [&](uint64_t column, uint64_t o, uint64_t b) {
    const uint64_t flat = flatIndex(seen.expected.order, grid, o, b);
    return sameBytes(seen.seenAt(flat), seen.referenceAt({o, column}), seen.blockBytes);
  };
  for (uint64_t b = 0; b < grid.blocksPerRow; ++b) {
    uint64_t column = 0;
    while (column < grid.blocksPerRow && (taken[column] || !stands(column, 0, b))) ++column;
    if (column == grid.blocksPerRow) return {};
    taken[column] = true;
    columns.push_back(column);
    for (uint64_t o = 1; o < grid.out; ++o) {
      if (!stands(column, o, b)) return {};
    }
  }
  return columns;
}

// Whether rows were cut into pieces of so many blocks that stand one behind the other, each with
// all its rows.
bool standsInShards(const Observation& seen, uint64_t piece) {
  for (uint64_t f = 0; f < seen.blocks; ++f) {
    const uint64_t row = f / piece;
    const BlockAt at{row % seen.grid.out, row / seen.grid.out * piece + f % piece};
    if (!sameBytes(seen.seenAt(f), seen.referenceAt(at), seen.blockBytes)) return false;
  }
  return true;
}

}  // namespace

std::string sizeRemark(const Observation& seen) {
  if (seen.sameSize()) return "";
  const uint64_t rowValues =
      seen.expected.grid.blocksPerRow * specOf(seen.expected.encoding).elements;
  std::vector<std::string_view> names;
  for (const EncodingSpec& spec : allEncodings()) {
    if (rowValues % spec.elements != 0) continue;
    const uint64_t size = seen.expected.grid.out * (rowValues / spec.elements) * spec.bytes;
    if (size == seen.observed.size()) names.push_back(spec.name);
  }
  if (names.empty()) return "";
  return joined("; as many bytes as ", listed(names, " or "), " takes for this weight");
}

PartsRemark partsRemark(const Observation& seen) {
  if (seen.plain() || !seen.sameSize()) return {};
  std::vector<std::string_view> right, others;
  uint32_t rightBytes = 0;
  bool bf16 = true;
  for (const BlockField& field : anatomyOf(seen.expected.encoding)) {
    const bool same = isRight(seen, field);
    (same ? right : others).push_back(field.name);
    if (same) rightBytes += field.bytes();
    bf16 = bf16 && (same || isBf16(seen, field));
  }
  if (rightBytes == 0 || (others.size() > 1 && rightBytes * 2 < seen.blockBytes)) return {};
  const std::string known = joined("; in every block ", listed(right, " and "),
                                   right.size() == 1 ? " is right" : " are right");
  const std::string_view verb = others.size() == 1 ? " is" : " are";
  const std::string rest = listed(others, " and ");
  if (bf16) {
    return {joined(known, ", and so", verb, " ", rest, " once read as BF16"),
            "write the scales as F16 (IEEE half), not as BF16"};
  }
  return {joined(known, "; what differs", verb, " ", rest), ""};
}

PartsRemark shardsRemark(const Observation& seen) {
  constexpr uint64_t kMost = 4096;  // each is held against all
  constexpr uint64_t kShown = 32;
  const uint64_t length = seen.grid.blocksPerRow;
  if (!seen.sameSize() || length > kMost) return {};
  const std::vector<uint64_t> columns = columnsFound(seen);
  std::vector<uint64_t> pieces = divisorsOf(length);
  pieces.pop_back();
  while (!pieces.empty()) {
    const uint64_t piece = pieces.back();
    pieces.pop_back();
    const std::string blocks = counted(piece, "block");
    if (columns.empty() && standsInShards(seen, piece)) {
      return {joined(": rows are cut into pieces of ", blocks,
                     ", and these stand one behind the other, each with all its rows"),
              joined("put shards of the input together row by row: ", blocks,
                     " of the first, then as many of the same row of the next")};
    }
    std::string found;
    bool whole = !columns.empty();
    for (uint64_t b = 0; whole && b < length; ++b) {
      const uint64_t first = columns[b - b % piece];
      whole = columns[b] == first + b % piece && first % piece == 0;
      const uint64_t shard = b / piece;
      if (b % piece != 0 || shard > kShown) continue;
      found += shard == kShown ? " .." : joined(found.empty() ? "" : " ", first / piece);
    }
    if (!whole) continue;
    return {joined(": in each row pieces of ", blocks, " stand in the sequence ", found),
            joined("in each row put the pieces of ", blocks,
                   " where their numbers say, as shards of the input belong next to each other")};
  }
  return {};
}

}  // namespace packed
