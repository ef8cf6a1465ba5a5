#include "gguf/data_findings.h"

#include <algorithm>
#include <utility>

#include "encoding/block_anatomy.h"
#include "gguf/utf8.h"

namespace packed {
namespace {

// A matrix of zeros below this size may be a test's or a placeholder; above, somebody lost weights.
constexpr uint64_t kSuspiciousZeros = 4 << 10;

Rule ruleOf(ValueFault kind, bool blocked) {
  switch (kind) {
    case ValueFault::RESERVED_SCALE:
      return Rule::SCALE_RESERVED;
    case ValueFault::INVALID_CODE:
      return Rule::TERNARY_CODE_3;
    case ValueFault::NAN_VALUE:
    case ValueFault::INFINITE_VALUE:
      break;
  }
  return blocked ? Rule::SCALE_NOT_FINITE : Rule::VALUE_NOT_FINITE;
}

// "infinite scale d", "NaN", "reserved code in scale d"
std::string describe(ValueFault kind, const BlockField* field) {
  const std::string scale = field ? joined(" scale ", field->name) : "";
  switch (kind) {
    case ValueFault::NAN_VALUE:
      return joined("NaN", field ? " in" : "", scale);
    case ValueFault::INFINITE_VALUE:
      if (field && field->type == FieldType::E8M0) return joined("values beyond f32 by", scale);
      return field ? joined("infinite", scale) : "infinity";
    case ValueFault::RESERVED_SCALE:
      return joined("reserved code (NaN in E4M3, decodes to 0) in", scale);
    case ValueFault::INVALID_CODE:
      return "ternary code 3, which has no meaning,";
  }
  return "";
}

Finding faultOf(const TensorInfo& info, ByteRange range, const TensorScan& scan, ValueFault kind) {
  const FaultCount& fault = scan.faults()[static_cast<std::size_t>(kind)];
  const uint64_t at = range.offset + fault.firstBlock * scan.blockBytes() + fault.byteInBlock;
  const std::string counted = joined(" in ", fault.blocks, " of ", scan.blocks());
  if (!info.encoding) {  // I2_S: codes whose element order nobody knows
    return finding(ruleOf(kind, true), "tensor ", quoted(info.name), ": ", describe(kind, nullptr),
                   counted, " bytes, first at byte ", at, "; convert this tensor again")
        .at(at, 1)
        .in(info.name);
  }
  const EncodingSpec& spec = specOf(*info.encoding);
  const uint64_t blocksPerRow = std::max<uint64_t>(1, info.inputDim() / spec.elements);
  const uint64_t o = fault.firstBlock / blocksPerRow;
  const uint64_t b = fault.firstBlock % blocksPerRow;
  const BlockField* field = fieldAt(spec.encoding, fault.byteInBlock);
  const std::string where = spec.blocked()
                                ? joined(" blocks, the first in block (", o, ",", b, ")")
                                : joined(" values, the first is element ", fault.firstBlock,
                                         ", row ", o, ", column ", b, ",");
  Finding made = finding(ruleOf(kind, spec.blocked()), "tensor ", quoted(info.name), " (",
                         spec.name, "): ", describe(kind, field), counted, where, " at byte ", at,
                         "; convert or quantize this tensor again")
                     .at(at, field ? sizeOf(field->type) : spec.bytes)
                     .in(info.name);
  made.o = o;
  made.b = b;
  return made;
}

}  // namespace

void DataFindings::conclude(const TensorInfo& info, ByteRange range, const TensorScan& scan,
                            FindingList& findings) {
  for (std::size_t i = 0; i < kValueFaults; ++i) {
    if (scan.faults()[i].blocks == 0) continue;
    Finding made = faultOf(info, range, scan, static_cast<ValueFault>(i));
    made.count = scan.faults()[i].blocks;
    findings.add(std::move(made));
  }
  if (!scan.constant()) return;
  if (scan.allZero() && info.ne.size() >= 2 && range.length >= kSuspiciousZeros) {
    findings.add(
        finding(Rule::ALL_ZERO_MATRIX, "tensor ", quoted(info.name), " (", describeShape(info),
                ") is all zeros, constant bytes to the last: its weights were lost, or never "
                "written; compare with the source")
            .at(range.offset, range.length)
            .in(info.name));
  }
  (scan.allZero() ? allZero_ : constant_).push_back({info.name, range});
}

void DataFindings::summarise(FindingList& findings) const {
  summarise(Rule::ALL_ZERO, allZero_, "all zero", findings);
  summarise(Rule::CONSTANT, constant_, "every value or block the same", findings);
}

void DataFindings::summarise(Rule rule, const std::vector<Place>& places, const char* what,
                             FindingList& findings) {
  if (places.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < places.size() && i < 8; ++i) {
    names += joined(i == 0 ? "" : ", ", quoted(places[i].tensor));
  }
  if (places.size() > 8) names += joined(" and ", places.size() - 8, " more");
  const auto& [tensor, range] = places.front();
  Finding made = finding(rule, "constant bytes in ", places.size(),
                         places.size() == 1 ? " tensor" : " tensors", ", ", what, ": ", names,
                         "; where that cannot be meant, compare with the source")
                     .at(range.offset, range.length)
                     .in(tensor);
  made.count = places.size();
  findings.add(std::move(made));
}

}  // namespace packed
