#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/header_rules.h"
#include "gguf/limits.h"
#include "gguf/metadata_value.h"
#include "gguf/tensor_range.h"
#include "gguf/utf8.h"

namespace packed {
namespace {

// Lengths that a row of this file can plausibly have: every whole number under the architecture's
// keys (embedding_length, ...), and every dimension of the tensors, with how often it occurs.
class KnownLengths {
 public:
  explicit KnownLengths(const GgufHeader& header) {
    const std::string_view architecture = textValue(header, "general.architecture").value_or("");
    for (const MetadataEntry& entry : header.metadata) {
      if (architecture.empty() || !entry.key.starts_with(architecture)) continue;
      if (const auto value = unsignedValue(header, entry)) stated_.push_back(*value);
    }
    for (const TensorInfo& info : header.tensors) {
      for (const uint64_t dimension : info.ne) dimensions_.push_back(dimension);
    }
    std::ranges::sort(dimensions_);
    std::ranges::sort(stated_);
  }

  bool states(uint64_t length) const { return std::ranges::binary_search(stated_, length); }
  // In how many dimensions of tensors the length occurs.
  uint64_t uses(uint64_t length) const {
    const auto range = std::ranges::equal_range(dimensions_, length);
    return range.size();
  }

 private:
  std::vector<uint64_t> stated_;
  std::vector<uint64_t> dimensions_;
};

void checkName(const TensorInfo& info, std::string_view architecture, FindingList& findings) {
  const std::string& name = info.name;
  if (name.empty()) {
    findings.add(finding(Rule::TENSOR_NAME_EMPTY, "the name of a tensor is empty (",
                         describeShape(info), "); give it one")
                     .at(info.infoOffset, 8));
    return;
  }
  const auto at = [&](Finding made) {
    findings.add(std::move(made).at(info.nameOffset(), name.size()).in(name));
  };
  if (name.size() > kMaxTensorNameBytes) {
    at(finding(Rule::TENSOR_NAME_TOO_LONG, "the tensor name ", quoted(name), " has ", name.size(),
               " bytes; at most ", kMaxTensorNameBytes, " are allowed: shorten it"));
  } else if (name.size() == kMaxTensorNameBytes) {
    at(finding(Rule::TENSOR_NAME_64, "the tensor name ", quoted(name),
               " has 64 bytes: allowed, but llama.cpp loads under 64; shorten it"));
  }
  if (!isNameText(name)) {
    at(finding(Rule::TENSOR_NAME_NOT_TEXT, "the tensor name ", quoted(name),
               " is not UTF-8 text without control characters: rename it, or an earlier length is "
               "wrong"));
  }
  const bool likeKey = name.starts_with("general.") || name.starts_with("tokenizer.") ||
                       (!architecture.empty() && name.starts_with(joined(architecture, ".")) &&
                        !name.ends_with(".weight") && !name.ends_with(".bias"));
  if (likeKey) {
    at(finding(Rule::TENSOR_NAME_IS_KEY, "the tensor name ", quoted(name),
               " is spelled like a metadata key: the metadata count may be one too low"));
  }
}

// Whether the dimensions can be true; reports why not.
bool checkDimensions(const TensorInfo& info, FindingList& findings) {
  if (info.ne.empty()) {
    findings.add(finding(Rule::DIMENSIONS_NONE, "tensor ", quoted(info.name),
                         " has no dimensions and is read as one value; state a dimension of 1")
                     .at(info.dimensionCountOffset(), 4)
                     .in(info.name));
    return true;
  }
  if (info.ne.size() > kMaxDimensions) {
    findings.add(finding(Rule::DIMENSIONS_TOO_MANY, "tensor ", quoted(info.name), " has ",
                         info.ne.size(), " dimensions; there are at most ", kMaxDimensions,
                         ": fold the last ones together")
                     .at(info.dimensionCountOffset(), 4)
                     .in(info.name)
                     .wanted("1 to 4", joined(info.ne.size())));
    return false;
  }
  for (std::size_t i = 0; i < info.ne.size(); ++i) {
    if (info.ne[i] > kMaxTensorBytes) {
      findings.add(finding(Rule::DIMENSION_NEGATIVE, "tensor ", quoted(info.name), ": dimension ",
                           i, " is ", static_cast<int64_t>(info.ne[i]),
                           ", and dimensions are not negative: write the file again")
                       .at(info.dimensionOffset(i), 8)
                       .in(info.name));
      return false;
    }
  }
  const auto zero = std::ranges::find(info.ne, uint64_t{0});
  if (zero != info.ne.end()) {
    findings.add(finding(Rule::DIMENSION_ZERO, "tensor ", quoted(info.name), " (",
                         describeShape(info),
                         ") has a dimension of zero, so it has no values; leave "
                         "it out")
                     .at(info.dimensionOffset(static_cast<std::size_t>(zero - info.ne.begin())), 8)
                     .in(info.name));
  }
  return true;
}

void reportType(const TensorInfo& info, std::string_view architecture, FindingList& findings) {
  const bool bitnet = info.ggmlType == 36 && architecture.starts_with("bitnet");
  findings.add(finding(Rule::TYPE_UNREADABLE, "tensor ", quoted(info.name), " has type ",
                       describeGgmlType(info.ggmlType),
                       bitnet
                           ? "; with this architecture it is I2_S: its element order is not in the "
                             "file, state group128, group64 or sequential to read it"
                           : "; its bytes cannot be read: convert the model again with a current "
                             "ggml, or read it with the program that wrote it")
                   .at(info.typeOffset(), 4)
                   .in(info.name)
                   .wanted("a ggml type of 0 to 42 that still exists", joined(info.ggmlType)));
}

// "2112 = 3072/256*176, the bytes of a Q5_K row of 3072 values"
std::string byteLengthText(const EncodingSpec& spec, uint64_t ne0) {
  const uint64_t values = ne0 / spec.bytes * spec.elements;
  return joined("ne[0] ", ne0, " = ", values, "/", spec.elements, "*", spec.bytes,
                ", which is the byte length of a ", spec.name, " row of ", values, " values");
}

// x without its factors of two.
uint64_t oddPart(uint64_t x) { return x >> std::countr_zero(x); }

// Whether a row length that is whole blocks either way is the less likely reading. Lengths of rows
// are round: few odd factors times a power of two. Byte lengths carry the odd factors of the
// block's size (34 = 2*17 bytes, 18 = 2*9) on top of those of the row.
bool looksLikeBytes(const EncodingSpec& spec, uint64_t ne0, uint64_t values) {
  const uint64_t blockOdd = oddPart(spec.bytes);
  const bool oddBlock = blockOdd % 11 == 0 || blockOdd % 17 == 0;
  return values % 256 == 0 && ne0 % 256 != 0 && oddPart(values) <= 7 &&
         (oddBlock || oddPart(ne0) >= 27);
}

void checkRow(const TensorInfo& info, const KnownLengths& lengths, FindingList& findings) {
  const EncodingSpec& spec = specOf(*info.encoding);
  const uint64_t ne0 = info.inputDim();
  if (!spec.blocked() || ne0 == 0) return;
  const auto add = [&](Finding made) {
    findings.add(std::move(made)
                     .at(info.dimensionOffset(0), 8)
                     .in(info.name)
                     .wanted(joined("a multiple of ", spec.elements), joined(ne0)));
  };
  const bool wholeRows = ne0 % spec.bytes == 0;  // could be bytes rather than values
  const uint64_t values = ne0 / spec.bytes * spec.elements;
  if (ne0 % spec.elements == 0) {
    if (!wholeRows || lengths.states(ne0)) return;
    if (lengths.states(values) || (lengths.uses(ne0) == 1 && looksLikeBytes(spec, ne0, values))) {
      add(finding(Rule::ROW_MAY_BE_BYTE_LENGTH, "tensor ", quoted(info.name), ": ",
                  byteLengthText(spec, ne0),
                  ": if that is what was meant, write ne[0] = ", values));
    }
    return;
  }
  const std::string numbers =
      joined(ne0, " is not a multiple of ", spec.elements, ": row length ", ne0, " = ",
             ne0 / spec.elements, "*", spec.elements, " + ", ne0 % spec.elements, " (", spec.name,
             "); only the row length counts, never the total");
  if (wholeRows) {
    add(finding(Rule::ROW_IS_BYTE_LENGTH, "tensor ", quoted(info.name), ": ", numbers, "; ",
                byteLengthText(spec, ne0), ": write ne[0] = ", values));
  } else if (info.ne.size() >= 2 && info.ne[1] % spec.elements == 0 && info.ne[1] > 0) {
    add(finding(Rule::LABEL_SWAPPED, "tensor ", quoted(info.name), ": ", numbers, ", but ",
                info.ne[1],
                " is a multiple: it looks like [out, in]; ne is [in, out], so write ne = [",
                info.ne[1], ", ", ne0, "] (the bytes stay as they are)"));
  } else {
    add(finding(Rule::ROW_NOT_DIVISIBLE, "tensor ", quoted(info.name), ": ", numbers,
                "; pad the row or use another type"));
  }
}

// A matrix whose label could be [out, in] as well: both sides are whole blocks.
bool undecided(const TensorInfo& info) {
  if (!info.encoding || info.ne.size() != 2 || !info.byteLength) return false;
  const uint32_t elements = specOf(*info.encoding).elements;
  return info.ne[0] > 1 && info.ne[1] > 1 && info.ne[1] % elements == 0;
}

}  // namespace

void checkTensorInfos(const GgufHeader& header, FindingList& findings) {
  const std::string_view architecture = textValue(header, "general.architecture").value_or("");
  const KnownLengths lengths(header);
  uint64_t undecidedCount = 0;
  const TensorInfo* firstUndecided = nullptr;
  for (const TensorInfo& info : header.tensors) {
    checkName(info, architecture, findings);
    const bool possible = checkDimensions(info, findings);
    if (!info.encoding) {
      reportType(info, architecture, findings);
      continue;
    }
    if (!possible) continue;
    const auto length = byteLengthOf(info);
    if (!length && length.error().code == ErrorCode::SIZE_OVERFLOW) {
      findings.add(finding(Rule::SIZE_OVERFLOWS, length.error().message)
                       .at(info.dimensionOffset(0), 8 * info.ne.size())
                       .in(info.name));
      continue;
    }
    checkRow(info, lengths, findings);
    if (undecided(info) && undecidedCount++ == 0) firstUndecided = &info;
  }
  if (!firstUndecided) return;
  Finding made =
      finding(Rule::ORIENTATION_UNDECIDED, undecidedCount,
              undecidedCount == 1 ? " matrix" : " matrices", " (first ",
              quoted(firstUndecided->name), ", ", describeShape(*firstUndecided),
              ") would fit either way round: that the label is right cannot be told from "
              "the file; compare with a source (--against)")
          .at(firstUndecided->dimensionOffset(0), 16)
          .in(firstUndecided->name);
  made.count = undecidedCount;
  findings.add(std::move(made));
}

}  // namespace packed
