#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>

#include "gguf/byte_order.h"
#include "gguf/header_rules.h"
#include "gguf/metadata_value.h"
#include "gguf/utf8.h"
#include "gguf/writer.h"

namespace packed {
namespace {

// Names that every JavaScript object answers to: a reader that keeps metadata in a plain object is
// fooled by them.
constexpr std::string_view kReserved[] = {
    "__proto__", "constructor",   "prototype",      "hasOwnProperty",      "toString",
    "valueOf",   "isPrototypeOf", "toLocaleString", "propertyIsEnumerable"};

bool conventional(std::string_view key) {
  return std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  });
}

void checkKey(const MetadataEntry& entry, FindingList& findings) {
  const std::string& key = entry.key;
  const uint64_t at = entry.offset + 8;
  if (key.empty()) {
    findings.add(finding(Rule::KEY_EMPTY,
                         "a metadata key is empty: nobody can ask for its value; "
                         "name it or leave the entry out")
                     .at(entry.offset, 8));
  } else if (key.find('\0') != std::string::npos) {
    findings.add(finding(Rule::KEY_NUL, "metadata key ", quoted(key),
                         " has a NUL inside, where C code cuts it; write it without")
                     .at(at, key.size()));
  } else if (std::ranges::find(kReserved, key) != std::end(kReserved)) {
    findings.add(
        finding(Rule::KEY_RESERVED, "metadata key ", quoted(key),
                " is a name that JavaScript objects inherit; here it is a plain key, other "
                "readers may be fooled: rename it")
            .at(at, key.size()));
  } else if (!isUtf8(key)) {
    findings.add(finding(Rule::STRING_NOT_UTF8, "metadata key ", quoted(key), " is not UTF-8")
                     .at(at + firstInvalidUtf8(key), 1));
  } else if (!conventional(key)) {
    findings.add(finding(Rule::KEY_SPELLING, "metadata key ", quoted(key),
                         " is not ASCII in lower snake case (parts joined by dots)")
                     .at(at, key.size()));
  }
}

// Walks every value of an entry, arrays of arrays included, and checks strings and bools. Equal
// faults of one entry are one finding with a count.
class ValueCheck {
 public:
  ValueCheck(const GgufHeader& header, const MetadataEntry& entry, FindingList& findings)
      : header_(header), entry_(entry), findings_(findings) {}

  void run() {
    if (entry_.type == MetadataType::ARRAY) {
      walkArray(entry_.typeOffset() + 4);
      if (entry_.elementType == MetadataType::ARRAY) {
        findings_.add(finding(Rule::ARRAY_NESTED, "metadata key ", quoted(entry_.key),
                              " is an array of arrays, which llama.cpp does not load; flatten it")
                          .at(entry_.typeOffset(), 8));
      }
    } else if (entry_.type == MetadataType::STRING) {
      walkString(entry_.typeOffset() + 4);
    } else if (entry_.type == MetadataType::BOOL) {
      walkBools(entry_.valueOffset(), 1);
    }
    flush(strings_, Rule::STRING_NOT_UTF8, " is not UTF-8 at byte ",
          "; text is written as UTF-8, raw bytes belong into an array of u8");
    flush(bools_, Rule::BOOL_NOT_0_OR_1, " holds a bool that is neither 0 nor 1 at byte ",
          "; write 0 or 1");
  }

 private:
  struct Faults {
    uint64_t count = 0;
    uint64_t first = 0;
    void add(uint64_t at) {
      if (count++ == 0) first = at;
    }
  };

  template <class T>
  T field(uint64_t at) const {
    return loadField<T>(header_.bytes.data() + at, header_.littleEndian);
  }

  uint64_t walkString(uint64_t at) {
    const auto length = field<uint64_t>(at);
    const auto* start = reinterpret_cast<const char*>(header_.bytes.data() + at + 8);
    const std::string_view text(start, static_cast<std::size_t>(length));
    const std::size_t invalid = firstInvalidUtf8(text);
    if (invalid < text.size()) strings_.add(at + 8 + invalid);
    return at + 8 + length;
  }

  void walkBools(uint64_t at, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      if (header_.bytes[static_cast<std::size_t>(at + i)] > 1) bools_.add(at + i);
    }
  }

  // Recursion is as deep as the reader lets arrays nest (kMaxArrayDepth).
  uint64_t walkArray(uint64_t at) {
    const auto type = static_cast<MetadataType>(field<uint32_t>(at));
    const auto count = field<uint64_t>(at + 4);
    at += 12;
    if (type == MetadataType::BOOL) walkBools(at, count);
    if (sizeOf(type) > 0) return at + count * sizeOf(type);
    for (uint64_t i = 0; i < count; ++i) {
      at = type == MetadataType::STRING ? walkString(at) : walkArray(at);
    }
    return at;
  }

  void flush(const Faults& faults, Rule rule, std::string_view what, std::string_view advice) {
    if (faults.count == 0) return;
    Finding made =
        finding(rule, "the value of metadata key ", quoted(entry_.key), what, faults.first,
                faults.count > 1 ? joined(", and at ", faults.count - 1, " more") : "", advice)
            .at(faults.first, 1);
    made.count = faults.count;
    findings_.add(std::move(made));
  }

  const GgufHeader& header_;
  const MetadataEntry& entry_;
  FindingList& findings_;
  Faults strings_;
  Faults bools_;
};

enum class KeyType : uint8_t { STRING, TEXTS, BOOL, UINT16, UINT32, INT32, WHOLE, WHOLE_EACH };
enum class LlamaType : uint8_t { SAME, EXACT };

struct KnownKey {
  std::string_view key;
  KeyType type;
  LlamaType llama;
};

constexpr KnownKey kKnownKeys[] = {
#define X(key, type, llama) {key, KeyType::type, LlamaType::llama},
#include "gguf/known_keys.inc"
#undef X
};

bool isWhole(MetadataType type) {
  return sizeOf(type) > 0 && type != MetadataType::FLOAT32 && type != MetadataType::FLOAT64 &&
         type != MetadataType::BOOL;
}

std::string_view describe(KeyType type) {
  constexpr std::array<std::string_view, 8> names = {
      "a string",       "an array of strings",
      "a bool",         "a u16",
      "a u32",          "an i32",
      "a whole number", "a whole number, or one per block"};
  return names[static_cast<std::size_t>(type)];
}

bool fits(KeyType wanted, const MetadataEntry& entry) {
  switch (wanted) {
    case KeyType::STRING:
      return entry.type == MetadataType::STRING;
    case KeyType::TEXTS:
      return entry.type == MetadataType::ARRAY && entry.elementType == MetadataType::STRING;
    case KeyType::BOOL:
      return entry.type == MetadataType::BOOL;
    case KeyType::UINT16:
      return entry.type == MetadataType::UINT16;
    case KeyType::UINT32:
      return entry.type == MetadataType::UINT32;
    case KeyType::INT32:
      return entry.type == MetadataType::INT32;
    case KeyType::WHOLE:
      return isWhole(entry.type);
    case KeyType::WHOLE_EACH:
      return isWhole(entry.type) ||
             (entry.type == MetadataType::ARRAY && isWhole(entry.elementType));
  }
  return true;
}

std::string typeName(const MetadataEntry& entry) {
  if (entry.type != MetadataType::ARRAY) return nameOf(entry.type);
  return joined("array of ", nameOf(entry.elementType));
}

// Whether `key` is meant by the pattern, in which a leading '*' stands for the architecture.
bool matches(std::string_view pattern, std::string_view key, std::string_view architecture) {
  if (pattern.front() != '*') return key == pattern;
  pattern.remove_prefix(1);
  return key.size() == architecture.size() + pattern.size() && key.starts_with(architecture) &&
         key.ends_with(pattern);
}

void checkType(const MetadataEntry& entry, std::string_view architecture, FindingList& findings) {
  for (const KnownKey& known : kKnownKeys) {
    if (!matches(known.key, entry.key, architecture)) continue;
    if (!fits(known.type, entry)) {
      findings.add(finding(Rule::KEY_TYPE, "metadata key ", quoted(entry.key), " is ",
                           describe(known.type), "; this file has it as ", typeName(entry),
                           ": write it with its type")
                       .at(entry.typeOffset(), 4)
                       .wanted(describe(known.type), typeName(entry)));
    } else if (known.llama == LlamaType::EXACT && entry.type != MetadataType::UINT32 &&
               entry.type != MetadataType::ARRAY) {
      findings.add(finding(Rule::KEY_WIDTH, "metadata key ", quoted(entry.key), " is a ",
                           typeName(entry), "; llama.cpp loads it as a u32 only")
                       .at(entry.typeOffset(), 4)
                       .wanted("a u32", typeName(entry)));
    }
    return;
  }
}

void checkByteOrder(const GgufHeader& header, FindingList& findings) {
  if (header.littleEndian) return;
  findings.add(finding(Rule::BYTE_ORDER_BIG,
                       "the file is big-endian: llama.cpp loads it on big-endian machines only; "
                       "convert its byte order for others")
                   .at(4, 4));
  if (header.version == 2) {
    findings.add(
        finding(Rule::BYTE_ORDER_OF_VERSION_2,
                "a big-endian file of version 2: byte orders other than little-endian came "
                "with version 3; write version 3")
            .at(4, 4));
  }
}

void checkAlignment(const GgufHeader& header, FindingList& findings) {
  const MetadataEntry* entry = header.findMetadata("general.alignment");
  if (!entry) return;
  if (header.alignment % 8 != 0) {
    findings.add(finding(Rule::ALIGNMENT_NOT_MULTIPLE_OF_8, "general.alignment is ",
                         header.alignment, ", not a multiple of 8; write the file with 32")
                     .at(entry->valueOffset(), entry->byteLength)
                     .wanted("a multiple of 8", joined(header.alignment)));
  }
  if (!std::has_single_bit(header.alignment)) {
    findings.add(
        finding(Rule::ALIGNMENT_NOT_POWER_OF_TWO, "general.alignment is ", header.alignment,
                ": fine by the specification, refused by llama.cpp, which wants a power of "
                "two; write the file with 32")
            .at(entry->valueOffset(), entry->byteLength)
            .wanted("a power of two", joined(header.alignment)));
  }
}

// Types that came while the layout of quantized blocks was still changing under the same name.
// Those from MXFP4 (39) on have had one layout only, so nothing is ambiguous without the version.
constexpr uint32_t kFirstTypeOfOneLayout = 39;

}  // namespace

void checkRequiredKeys(const GgufHeader& header, FindingList& findings) {
  if (isLaterShard(header)) return;
  if (!header.findMetadata("general.architecture")) {
    findings.add(
        finding(Rule::ARCHITECTURE_MISSING,
                "general.architecture is missing: readers cannot tell what the tensors are "
                "for; add it")
            .at(24));
  }
  if (const MetadataEntry* entry = header.findMetadata("general.quantization_version")) {
    const auto version = unsignedValue(header, *entry);
    if (version && *version != kQuantizationVersion) {
      findings.add(finding(Rule::QUANTIZATION_VERSION_UNKNOWN, "general.quantization_version is ",
                           *version, "; blocks are read as version ", kQuantizationVersion,
                           " everywhere today, so older ones decode to wrong values")
                       .at(entry->valueOffset(), entry->byteLength)
                       .wanted(joined(kQuantizationVersion), joined(*version)));
    }
    return;
  }
  const TensorInfo* older = nullptr;
  const TensorInfo* newer = nullptr;
  for (const TensorInfo& info : header.tensors) {
    if (!info.encoding || !specOf(*info.encoding).blocked()) continue;
    (info.ggmlType < kFirstTypeOfOneLayout ? older : newer) = &info;
  }
  if (!older && !newer) return;
  const TensorInfo& example = older ? *older : *newer;
  findings.add(
      finding(older ? Rule::QUANTIZATION_VERSION_MISSING : Rule::QUANTIZATION_VERSION_UNSTATED,
              "tensor ", quoted(example.name), " is quantized (", nameOf(*example.encoding),
              ") and general.quantization_version is missing; add it, with the value ",
              kQuantizationVersion)
          .at(example.typeOffset(), 4)
          .in(example.name));
}

bool isLaterShard(const GgufHeader& header) {
  return unsignedValue(header, "split.no").value_or(0) > 0 &&
         unsignedValue(header, "split.count").value_or(0) > 1;
}

void checkMetadata(const GgufHeader& header, FindingList& findings) {
  checkByteOrder(header, findings);
  const std::string_view architecture = textValue(header, "general.architecture").value_or("");
  for (const MetadataEntry& entry : header.metadata) {
    checkKey(entry, findings);
    ValueCheck(header, entry, findings).run();
    checkType(entry, architecture, findings);
  }
  checkAlignment(header, findings);
}

}  // namespace packed
