#include <algorithm>
#include <string>
#include <vector>

#include "base/checked.h"
#include "gguf/header_rules.h"
#include "gguf/tensor_range.h"
#include "gguf/utf8.h"

namespace packed {
namespace {

// A tensor whose place is known: [offset, end) of the file.
struct Placed {
  const TensorInfo* info;
  uint64_t offset;
  uint64_t end;
};

std::string at(uint64_t offset) { return joined("at byte ", offset); }

// Offsets that cannot be, tensor by tensor. Returns the tensors whose place is known, in file
// order.
std::vector<Placed> place(const GgufHeader& header, FindingList& findings) {
  std::vector<Placed> placed;
  for (const TensorInfo& info : header.tensors) {
    const auto end =
        info.offset && info.byteLength ? checkedAdd(*info.offset, *info.byteLength) : info.offset;
    if (!end) {
      findings.add(
          finding(Rule::OFFSET_WRAPS, "tensor ", quoted(info.name), ": offset ",
                  info.relativeOffset,
                  " wraps around 64 bits, so the tensor would start before its file; write "
                  "the file again")
              .at(info.offsetOffset(), 8)
              .in(info.name));
      continue;
    }
    if (info.relativeOffset % header.alignment != 0) {
      const bool by32 = info.relativeOffset % kDefaultAlignment == 0;
      findings.add(
          finding(Rule::OFFSET_MISALIGNED, "tensor ", quoted(info.name), ": offset ",
                  info.relativeOffset, " is not a multiple of the alignment ", header.alignment,
                  by32 && header.alignment > kDefaultAlignment
                      ? " that the file declares, but of 32: the tensors were written with "
                        "another alignment than the declared one"
                      : "",
                  "; write the file again")
              .at(info.offsetOffset(), 8)
              .in(info.name)
              .wanted(joined("a multiple of ", header.alignment), joined(info.relativeOffset)));
    }
    if (info.byteLength) placed.push_back({&info, *info.offset, *end});
  }
  std::ranges::stable_sort(placed, {}, &Placed::offset);
  return placed;
}

// What else a stored region of `bytes` could hold of this shape: "exactly the bytes of Q4_0".
std::string otherReading(const TensorInfo& info, uint64_t bytes, uint64_t alignment) {
  for (const EncodingSpec& spec : allEncodings()) {
    TensorInfo other = info;
    other.ggmlType = spec.ggmlType;
    const auto length = byteLengthOf(other);
    if (length && *length > 0 && checkedAlignUp(*length, alignment) == bytes) {
      return joined(" (exactly what ", spec.name, " would need: the type may be wrong)");
    }
  }
  return "";
}

void checkOverlaps(const std::vector<Placed>& placed, uint64_t alignment, FindingList& findings) {
  const Placed* before = nullptr;  // the one that reaches furthest so far
  for (const Placed& one : placed) {
    if (one.offset == one.end) continue;
    if (before && one.offset < before->end) {
      const uint64_t region = one.offset - before->offset;
      const bool listed = findings.countOf(Rule::TENSORS_OVERLAP) < kListedPerRule;
      const std::string reading = region == 0 ? " (they start at the same byte)"
                                  : listed    ? otherReading(*before->info, region, alignment)
                                              : "";
      findings.add(finding(Rule::TENSORS_OVERLAP, "tensors ", quoted(before->info->name), " and ",
                           quoted(one.info->name), " overlap: ", quoted(before->info->name),
                           " needs ", before->end - before->offset, " bytes ", at(before->offset),
                           ", but ", region, " bytes later ", quoted(one.info->name), " starts",
                           reading, "; an offset, a shape or a type is wrong")
                       .at(one.info->offsetOffset(), 8)
                       .in(one.info->name)
                       .wanted(joined("at or after byte ", before->end), joined(one.offset)));
    }
    if (!before || one.end > before->end) before = &one;
  }
}

// What llama.cpp demands: offsets are the running sum of padded sizes, in the order of the infos.
void checkRunningSum(const GgufHeader& header, FindingList& findings) {
  std::optional<uint64_t> expected = 0;
  for (const TensorInfo& info : header.tensors) {
    if (!info.offset) return;
    const uint64_t offset = info.relativeOffset;
    if (expected && offset != *expected) {
      const bool first = &info == &header.tensors.front();
      const bool backwards = offset < *expected;
      const Rule rule = first       ? Rule::OFFSET_FIRST_NOT_ZERO
                        : backwards ? Rule::OFFSET_OUT_OF_ORDER
                                    : Rule::OFFSET_GAP;
      const std::string what =
          first ? joined("the first tensor, ", quoted(info.name), ", starts at offset ", offset,
                         " instead of 0")
          : backwards ? joined("tensor ", quoted(info.name), " starts at offset ", offset,
                               ", before the end (", *expected, ") of the tensors listed before it")
                      : joined("a gap of ", offset - *expected, " bytes before tensor ",
                               quoted(info.name), " at offset ", offset);
      findings.add(finding(rule, what,
                           ": allowed by the specification, refused by llama.cpp; writing the file "
                           "again closes it")
                       .at(info.offsetOffset(), 8)
                       .in(info.name)
                       .wanted(joined(*expected), joined(offset)));
    }
    // Each deviation is reported once: the sum goes on from where the tensor really is.
    const auto end = info.byteLength ? checkedAdd(offset, *info.byteLength) : std::nullopt;
    expected = end ? checkedAlignUp(*end, header.alignment) : std::nullopt;
  }
}

// Reports the tensors whose offset is no continuation of the others and beyond the file. The last
// byte that the remaining ones need is returned.
uint64_t checkPastEnd(const GgufHeader& header, const std::vector<Placed>& placed,
                      uint64_t totalSize, FindingList& findings) {
  uint64_t needed = header.dataStart;
  for (const Placed& one : placed) {
    const uint64_t continued = checkedAlignUp(needed, header.alignment).value_or(UINT64_MAX);
    if (one.offset > continued && one.end > totalSize && one.offset >= totalSize) {
      findings.add(finding(Rule::OFFSET_PAST_END, "tensor ", quoted(one.info->name), " starts ",
                           at(one.offset), ", past the end of the file (", totalSize,
                           " bytes), and not where the others end (", continued,
                           "): its offset is wrong; write the file again")
                       .at(one.info->offsetOffset(), 8)
                       .in(one.info->name)
                       .wanted(joined("below ", totalSize), joined(one.offset)));
      continue;
    }
    needed = std::max(needed, one.end);
  }
  return needed;
}

// If the data were written with another alignment than the declared one: whether the size of the
// file fits that. 1 stands for no padding behind the header at all. `needed` ends the last tensor.
std::optional<uint64_t> otherAlignment(const GgufHeader& header, uint64_t totalSize,
                                       uint64_t needed) {
  for (const uint64_t alignment : {1u, 8u, 16u, 32u, 64u, 128u, 256u, 4096u}) {
    const auto dataStart = checkedAlignUp(header.endOffset, alignment);
    if (!dataStart || *dataStart >= header.dataStart) continue;
    const uint64_t end = needed - (header.dataStart - *dataStart);
    const auto padded = checkedAlignUp(end - *dataStart, header.alignment);
    const bool paddedEnd = padded && totalSize == *dataStart + *padded;
    if (totalSize == end || paddedEnd) return alignment;
  }
  return std::nullopt;
}

// Reports a file whose data seem to start before dataStart. False when there is no sign of it.
bool reportEarlyData(const GgufHeader& header, uint64_t totalSize, uint64_t needed,
                     FindingList& findings) {
  const auto alignment = otherAlignment(header, totalSize, needed);
  if (!alignment) return false;
  const uint64_t start = checkedAlignUp(header.endOffset, *alignment).value_or(header.dataStart);
  const std::string where =
      joined("the file has ", totalSize, " bytes and its last tensor ends at ", needed,
             ": that fits if the data starts at byte ", start, " instead of ", header.dataStart);
  findings.add(
      (*alignment == 1
           ? finding(Rule::HEADER_PADDING_MISSING, where, ", so the ", header.dataStart - start,
                     " bytes of padding between header and data are missing and every tensor "
                     "is read too late; write the file again, or fetch it again if it was cut")
           : finding(Rule::ALIGNMENT_UNLIKE_WRITTEN, where,
                     ", as if it had been written with "
                     "alignment ",
                     *alignment, " while ", header.alignment,
                     " is declared; write the file again, or fetch it again if it was cut"))
          .at(header.endOffset, header.dataStart - header.endOffset)
          .wanted(joined("data at byte ", header.dataStart), joined("at byte ", start)));
  return true;
}

bool paddingIsZero(const GgufHeader& header, Bytes afterHeader) {
  const uint64_t padding = header.dataStart - header.endOffset;
  const auto seen = static_cast<std::size_t>(std::min<uint64_t>(padding, afterHeader.size()));
  return std::ranges::all_of(afterHeader.first(seen), [](uint8_t byte) { return byte == 0; });
}

struct Shortfall {
  uint64_t tensors = 0;           // that are not complete
  const Placed* first = nullptr;  // the first of them in the file
};

Shortfall shortfall(const std::vector<Placed>& placed, uint64_t totalSize, uint64_t needed) {
  Shortfall found;
  for (const Placed& one : placed) {
    if (one.end <= totalSize || one.end > needed) continue;
    if (found.tensors++ == 0) found.first = &one;
  }
  return found;
}

void reportShort(const GgufHeader& header, const std::vector<Placed>& placed, uint64_t totalSize,
                 uint64_t needed, bool zeroPadding, FindingList& findings) {
  const std::string numbers = joined("needs ", needed, " bytes, has ", totalSize);
  const auto add = [&](Finding made) {
    findings.add(std::move(made).at(totalSize).wanted(joined(needed, " bytes"),
                                                      joined(totalSize, " bytes")));
  };
  if (header.alignment > 65536 && header.dataStart > totalSize) {
    add(finding(Rule::DATA_MISSING, "general.alignment is ", header.alignment,
                ": tensor data would start at byte ", header.dataStart,
                ", beyond the end of the file (", totalSize,
                " bytes); the alignment is wrong, as a rule it is 32"));
    return;
  }
  if (totalSize <= header.dataStart) {
    add(finding(Rule::DATA_MISSING, "the file ends with its header: it ", numbers,
                ", and none of its ", header.tensors.size(),
                " tensors is there; fetch the file again"));
    return;
  }
  const Shortfall found = shortfall(placed, totalSize, needed);
  if (!zeroPadding && reportEarlyData(header, totalSize, needed, findings)) return;
  const uint64_t missing = found.first->end - std::max(found.first->offset, totalSize);
  add(finding(Rule::DATA_SHORT, "the file is cut off: it ", numbers, "; tensor ",
              quoted(found.first->info->name), " is short by ", missing,
              found.tensors > 1
                  ? joined(", and ", found.tensors - 1, " more tensors are incomplete or missing")
                  : "",
              "; fetch the file again")
          .in(found.first->info->name));
}

// What stands behind the last tensor.
void checkEnd(const GgufHeader& header, uint64_t totalSize, uint64_t needed, bool zeroPadding,
              FindingList& findings) {
  for (const TensorInfo& info : header.tensors) {
    if (!info.byteLength) return;  // where the last tensor ends is not known
  }
  if (header.tensors.empty() && totalSize <= header.dataStart) return;
  const uint64_t padded = checkedAlignUp(needed, header.alignment).value_or(needed);
  const bool partlyPadded = totalSize > needed && totalSize < padded;
  if (partlyPadded && !zeroPadding && reportEarlyData(header, totalSize, needed, findings)) return;
  if (totalSize < padded && !header.tensors.empty()) {
    findings.add(finding(Rule::FINAL_PADDING_MISSING, "the last tensor is complete, but ",
                         padded - totalSize, " bytes of padding to a multiple of ",
                         header.alignment,
                         " are missing at the end; readers of whole padded tensors may refuse it")
                     .at(totalSize)
                     .wanted(joined(padded, " bytes"), joined(totalSize, " bytes")));
  } else if (totalSize > padded) {
    findings.add(finding(Rule::TRAILING_BYTES, totalSize - padded, " bytes follow ",
                         header.tensors.empty() ? "the header" : "the last tensor",
                         ": something was appended, or a tensor is not declared")
                     .at(padded, totalSize - padded)
                     .wanted(joined(padded, " bytes"), joined(totalSize, " bytes")));
  }
}

}  // namespace

void checkOffsets(const GgufHeader& header, uint64_t totalSize, Bytes afterHeader,
                  FindingList& findings) {
  const std::vector<Placed> placed = place(header, findings);
  checkOverlaps(placed, header.alignment, findings);
  checkRunningSum(header, findings);
  uint64_t needed = header.dataStart;
  if (header.dataStart <= totalSize) needed = checkPastEnd(header, placed, totalSize, findings);
  if (header.dataStart > totalSize && !placed.empty()) {
    for (const Placed& one : placed) needed = std::max(needed, one.end);
  }
  const bool zeroPadding = paddingIsZero(header, afterHeader);
  const bool anything =
      std::ranges::any_of(placed, [](const Placed& one) { return one.offset < one.end; });
  if (needed > totalSize && anything) {
    reportShort(header, placed, totalSize, needed, zeroPadding, findings);
  } else {
    checkEnd(header, totalSize, needed, zeroPadding, findings);
  }
}

}  // namespace packed
