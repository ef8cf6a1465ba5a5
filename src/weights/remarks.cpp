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

// Whether every F16 of the blocks is the reference's once it is read as BF16.
bool scalesAreBf16(const Observation& seen) {
  bool any = false;
  for (const BlockField& field : anatomyOf(seen.expected.encoding)) {
    if (field.type != FieldType::F16) continue;
    any = true;
    for (uint64_t f = 0; f < seen.blocks; ++f) {
      for (uint32_t at = field.offset; at < field.offset + field.bytes(); at += 2) {
        if (!nearly(floatOfBf16(seen.seenAt(f) + at), loadHalf(seen.rightAt(f) + at))) return false;
      }
    }
  }
  return any;
}

// Whether the fields that are (or are not) floats are the reference's in every block.
bool fieldsAreRight(const Observation& seen, bool floats) {
  bool any = false;
  for (const BlockField& field : anatomyOf(seen.expected.encoding)) {
    if (isFloat(field.type) != floats) continue;
    any = true;
    for (uint64_t f = 0; f < seen.blocks; ++f) {
      if (!sameBytes(seen.seenAt(f) + field.offset, seen.rightAt(f) + field.offset, field.bytes()))
        return false;
    }
  }
  return any;
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
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    list += joined(i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
  }
  return list.empty() ? "" : joined("; as many bytes as ", list, " takes for this weight");
}

PartsRemark partsRemark(const Observation& seen) {
  if (seen.plain() || !seen.sameSize()) return {};
  if (fieldsAreRight(seen, false)) {
    if (scalesAreBf16(seen)) {
      return {"; the codes are right, and the scales are once they are read as BF16",
              "write the scales as F16 (IEEE half), not as BF16"};
    }
    return {"; the codes are right, only scales are others", ""};
  }
  if (fieldsAreRight(seen, true)) return {"; the scales are right, only codes are others", ""};
  return {};
}

}  // namespace packed
