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

}  // namespace packed
