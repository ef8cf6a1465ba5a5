// The sections of a header, one step each: the steps that HeaderReader::parse goes through.
#include <algorithm>
#include <string>
#include <utility>

#include "gguf/byte_order.h"
#include "gguf/foreign_file.h"
#include "gguf/limits.h"
#include "gguf/reader.h"
#include "gguf/utf8.h"

namespace packed {
namespace {

constexpr uint64_t kFixedBytes = 4 + 4 + 8 + 8;

constexpr std::string_view kCutOrWrong =
    ": either the file was cut short, or the number is wrong; fetch or write the file again";

// The least bytes that one element of an array takes.
uint64_t leastBytes(MetadataType elementType) {
  if (elementType == MetadataType::STRING) return 8;
  if (elementType == MetadataType::ARRAY) return 12;
  return sizeOf(elementType);
}

bool known(MetadataType type) { return static_cast<uint32_t>(type) < kMetadataTypes; }

}  // namespace

template <class T>
T HeaderReader::field(uint64_t at) const {
  return loadField<T>(header_.bytes.data() + at, header_.littleEndian);
}

std::string_view HeaderReader::text(uint64_t at, uint64_t length) const {
  return {reinterpret_cast<const char*>(header_.bytes.data() + at),
          static_cast<std::size_t>(length)};
}

HeaderReader::Step HeaderReader::stop(Finding finding) {
  report(std::move(finding));
  return Step::STOPPED;
}

HeaderReader::Step HeaderReader::need(uint64_t end, const char* what) {
  if (end <= filled_) return Step::ADVANCED;
  if (end > totalSize_) {
    return stop(finding(Rule::HEADER_TRUNCATED, "the file ends inside ", what,
                        ": the header needs ", end, " bytes or more, the file has ", totalSize_,
                        "; fetch the file again, or a count before this point is too high")
                    .at(parsed_, totalSize_ - std::min(parsed_, totalSize_))
                    .wanted(joined("at least ", end, " bytes"), joined(totalSize_, " bytes")));
  }
  if (end > kMaxHeaderBytes) {
    return stop(finding(Rule::HEADER_TOO_LARGE, "the header needs ", end, " bytes or more, at ",
                        what, "; at most ", kMaxHeaderBytes,
                        " are read, ten times the largest vocabulary known")
                    .at(parsed_));
  }
  required_ = end;
  return Step::STARVED;
}

HeaderReader::Step HeaderReader::needLength(uint64_t lengthAt, uint64_t start, uint64_t length,
                                            const char* what) {
  if (length > totalSize_ - std::min(start, totalSize_)) {
    return stop(
        finding(Rule::LENGTH_PAST_END, what, " at byte ", lengthAt, " declares ", length,
                " bytes, but only ", totalSize_ - std::min(start, totalSize_),
                " follow in the file", kCutOrWrong)
            .at(lengthAt, 8)
            .wanted(joined("at most ", totalSize_ - std::min(start, totalSize_)), joined(length)));
  }
  return need(start + length, what);
}

// --- 1. magic, version, counts

HeaderReader::Step HeaderReader::parseStart() {
  if (totalSize_ == 0) {
    return stop(finding(Rule::EMPTY_FILE, "the file is empty: fetch or write it again").at(0));
  }
  if (const Step step = need(std::min(totalSize_, kFixedBytes), "the magic");
      step != Step::ADVANCED) {
    return step;
  }
  const auto magicSize = static_cast<std::size_t>(std::min<uint64_t>(4, totalSize_));
  if (text(0, magicSize) != std::string_view("GGUF").substr(0, magicSize)) {
    const auto headSize = static_cast<std::size_t>(std::min(totalSize_, kForeignHeadBytes));
    if (const Step step = need(headSize, "the magic"); step != Step::ADVANCED) return step;
    return stop(finding(Rule::WRONG_MAGIC, "not a GGUF file; it is ",
                        describeForeignFile(Bytes(header_.bytes).first(headSize), totalSize_))
                    .at(0, magicSize)
                    .wanted("\"GGUF\"", quoted(text(0, magicSize))));
  }
  if (totalSize_ < 8) {
    return stop(
        finding(Rule::HEADER_TRUNCATED, "the file ends after ", totalSize_,
                " bytes, before its version; fetch it again")
            .at(totalSize_)
            .wanted(joined("at least ", kFixedBytes, " bytes"), joined(totalSize_, " bytes")));
  }
  return parseVersion();
}

HeaderReader::Step HeaderReader::parseVersion() {
  const auto stored = loadLE<uint32_t>(header_.bytes.data() + 4);
  header_.littleEndian = stored == 0 || (stored & 0xffff) != 0;
  header_.version = field<uint32_t>(4);
  const uint32_t version = header_.version;
  if (version != 2 && version != 3) {
    const std::string_view advice =
        version == 1 ? "; version 1 (of August 2023) counts in 32 bits: convert the model again"
        : version == 0
            ? "; no such version exists: the file was not written completely, or was altered"
            : "; a newer packed-weights may read it, or the file was altered";
    return stop(finding(Rule::VERSION_UNSUPPORTED, "GGUF version ", version,
                        header_.littleEndian ? "" : " in big-endian",
                        " is not read here (2 and 3 are)", advice)
                    .at(4, 4)
                    .wanted("2 or 3", joined(version)));
  }
  if (totalSize_ < kFixedBytes) return need(kFixedBytes, "the counts");
  header_.declaredTensors = field<uint64_t>(8);
  header_.declaredMetadata = field<uint64_t>(16);
  if (const Step step = checkCount(Rule::TENSOR_COUNT, 8, header_.declaredTensors, "tensor count",
                                   kMaxTensors, kMinTensorInfoBytes);
      step != Step::ADVANCED) {
    return step;
  }
  if (const Step step = checkCount(Rule::METADATA_COUNT, 16, header_.declaredMetadata,
                                   "metadata count", kMaxMetadataEntries, kMinMetadataEntryBytes);
      step != Step::ADVANCED) {
    return step;
  }
  parsed_ = kFixedBytes;
  section_ = Section::METADATA;
  return Step::ADVANCED;
}

HeaderReader::Step HeaderReader::checkCount(Rule rule, uint64_t at, uint64_t count,
                                            const char* what, uint64_t limit, uint64_t leastEach) {
  const uint64_t possible = (totalSize_ - kFixedBytes) / leastEach;
  if (count <= limit && count <= possible) return Step::ADVANCED;
  return stop(finding(rule, "the ", what, " is ", count, count == UINT64_MAX ? " (-1)" : "", "; ",
                      count > limit
                          ? joined("at most ", limit, " are read")
                          : joined("a file of ", totalSize_, " bytes holds at most ", possible),
                      kCutOrWrong)
                  .at(at, 8)
                  .wanted(joined("at most ", std::min(limit, possible)), joined(count)));
}

// --- 2. metadata

HeaderReader::Step HeaderReader::parseMetadataEntry() {
  const uint64_t start = parsed_;
  const char* what = "a metadata key";
  if (const Step step = need(start + 8, what); step != Step::ADVANCED) return step;
  const auto keyLength = field<uint64_t>(start);
  if (keyLength > kMaxKeyBytes) {
    return stop(finding(Rule::KEY_TOO_LONG, "the length of metadata key ", header_.metadata.size(),
                        " is ", keyLength, "; a key is at most ", kMaxKeyBytes, " bytes",
                        kCutOrWrong)
                    .at(start, 8)
                    .wanted(joined("at most ", kMaxKeyBytes), joined(keyLength)));
  }
  if (const Step step = needLength(start, start + 8, keyLength, what); step != Step::ADVANCED) {
    return step;
  }
  MetadataEntry entry;
  const std::string_view key = text(start + 8, keyLength);
  const uint64_t typeAt = start + 8 + keyLength;
  if (const Step step = need(typeAt + 4, "a metadata value type"); step != Step::ADVANCED)
    return step;
  entry.type = entry.elementType = static_cast<MetadataType>(field<uint32_t>(typeAt));
  entry.offset = start;
  if (!known(entry.type)) {
    return stop(finding(Rule::VALUE_TYPE_UNKNOWN, "metadata key ", quoted(key), " has value type ",
                        static_cast<uint32_t>(entry.type),
                        ", and types are 0 to 12: the length of its value is unknown, so nothing "
                        "after it can be read; an earlier length or count may be wrong")
                    .at(typeAt, 4)
                    .wanted("0 to 12", joined(static_cast<uint32_t>(entry.type))));
  }
  uint64_t end = typeAt + 4 + sizeOf(entry.type);
  if (entry.type == MetadataType::ARRAY) {
    if (const Step step = openArray(typeAt + 4); step != Step::ADVANCED) return step;
    entry.key = key;
    entry.elementType = arrays_.back().elementType;
    entry.count = arrays_.back().remaining;
    pendingEntry_ = std::move(entry);
    section_ = Section::ARRAY;
    return Step::ADVANCED;
  }
  if (entry.type == MetadataType::STRING) {
    if (const Step step = need(typeAt + 12, "a string length"); step != Step::ADVANCED) return step;
    entry.count = field<uint64_t>(typeAt + 4);
    entry.byteLength = entry.count;
    if (const Step step = needLength(typeAt + 4, typeAt + 12, entry.count, "a metadata string");
        step != Step::ADVANCED) {
      return step;
    }
    end = typeAt + 12 + entry.count;
  } else {
    entry.byteLength = sizeOf(entry.type);
    if (const Step step = need(end, "a metadata value"); step != Step::ADVANCED) return step;
  }
  entry.key = key;
  header_.metadata.push_back(std::move(entry));
  parsed_ = end;
  return Step::ADVANCED;
}

// The element type and count of an array, which stand at `at`; its elements become the innermost
// level of arrays_.
HeaderReader::Step HeaderReader::openArray(uint64_t at) {
  if (const Step step = need(at + 12, "an array"); step != Step::ADVANCED) return step;
  const auto elementType = static_cast<MetadataType>(field<uint32_t>(at));
  const auto count = field<uint64_t>(at + 4);
  if (!known(elementType)) {
    return stop(
        finding(Rule::VALUE_TYPE_UNKNOWN, "an array at byte ", at, " has element type ",
                static_cast<uint32_t>(elementType),
                ", and types are 0 to 12: its length is unknown, so nothing after it can be "
                "read; an earlier length or count may be wrong")
            .at(at, 4)
            .wanted("0 to 12", joined(static_cast<uint32_t>(elementType))));
  }
  const uint64_t possible = (totalSize_ - (at + 12)) / leastBytes(elementType);
  if (count > possible) {
    return stop(finding(Rule::LENGTH_PAST_END, "an array at byte ", at, " declares ", count,
                        " elements (", nameOf(elementType),
                        "), but the rest of the file holds at most ", possible, kCutOrWrong)
                    .at(at + 4, 8)
                    .wanted(joined("at most ", possible), joined(count)));
  }
  if (arrays_.size() == kMaxArrayDepth) {
    return stop(finding(Rule::ARRAY_TOO_DEEP, "an array at byte ", at, " is nested more than ",
                        kMaxArrayDepth, " deep; real files nest at most two arrays")
                    .at(at, 12)
                    .wanted(joined("at most ", kMaxArrayDepth), "more"));
  }
  arrays_.push_back({elementType, count});
  parsed_ = at + 12;
  return Step::ADVANCED;
}

HeaderReader::Step HeaderReader::parseArray() {
  ArrayLevel& level = arrays_.back();
  if (level.remaining == 0) {
    arrays_.pop_back();
    if (arrays_.empty()) {
      pendingEntry_.byteLength = parsed_ - pendingEntry_.valueOffset();
      header_.metadata.push_back(std::move(pendingEntry_));
      section_ = Section::METADATA;
    }
    return Step::ADVANCED;
  }
  if (level.elementType == MetadataType::ARRAY) {
    const Step step = openArray(parsed_);  // may move `level`
    if (step == Step::ADVANCED) --arrays_[arrays_.size() - 2].remaining;
    return step;
  }
  if (level.elementType == MetadataType::STRING) return skipStrings(level);
  const uint64_t end =
      parsed_ + level.remaining * sizeOf(level.elementType);  // openArray checked it
  if (const Step step = need(end, "an array"); step != Step::ADVANCED) return step;
  level.remaining = 0;
  parsed_ = end;
  return Step::ADVANCED;
}

// The one loop of the parser that runs 150,000 times for a vocabulary.
HeaderReader::Step HeaderReader::skipStrings(ArrayLevel& level) {
  while (level.remaining > 0) {
    if (parsed_ + 8 > filled_) return need(parsed_ + 8, "an array of strings");
    const auto length = field<uint64_t>(parsed_);
    if (length > filled_ - (parsed_ + 8)) {
      const Step step = needLength(parsed_, parsed_ + 8, length, "a string in an array");
      if (step != Step::ADVANCED) return step;
    }
    parsed_ += 8 + length;
    --level.remaining;
  }
  return Step::ADVANCED;
}

// --- 3. tensor infos

HeaderReader::Step HeaderReader::parseTensorInfo() {
  const uint64_t start = parsed_;
  const std::size_t index = header_.tensors.size();
  if (const Step step = need(start + 8, "a tensor info"); step != Step::ADVANCED) return step;
  const auto nameLength = field<uint64_t>(start);
  if (nameLength > kMaxKeyBytes) {
    return stop(finding(Rule::TENSOR_NAME_UNREADABLE, "the name of tensor ", index, " declares ",
                        nameLength, " bytes, and names have at most ", kMaxTensorNameBytes,
                        kCutOrWrong)
                    .at(start, 8)
                    .wanted(joined("at most ", kMaxTensorNameBytes), joined(nameLength)));
  }
  if (const Step step = needLength(start, start + 8, nameLength, "a tensor name");
      step != Step::ADVANCED) {
    return step;
  }
  const uint64_t dimensionsAt = start + 8 + nameLength;
  if (const Step step = need(dimensionsAt + 4, "a tensor info"); step != Step::ADVANCED)
    return step;
  const auto dimensions = field<uint32_t>(dimensionsAt);
  if (dimensions > kMaxReadableDimensions) {
    return stop(finding(Rule::DIMENSION_COUNT, "tensor ", quoted(text(start + 8, nameLength)),
                        " declares ", dimensions, " dimensions; there are at most ", kMaxDimensions,
                        ", so nothing after this point can be read; an earlier count may be wrong")
                    .at(dimensionsAt, 4)
                    .in(text(start + 8, nameLength))
                    .wanted("1 to 4", joined(dimensions)));
  }
  const uint64_t end = dimensionsAt + 4 + 8 * dimensions + 4 + 8;
  if (const Step step = need(end, "a tensor info"); step != Step::ADVANCED) return step;
  TensorInfo info;
  info.infoOffset = start;
  info.name = text(start + 8, nameLength);
  for (uint32_t i = 0; i < dimensions; ++i) {
    info.ne.push_back(field<uint64_t>(dimensionsAt + 4 + 8 * i));
  }
  info.ggmlType = field<uint32_t>(info.typeOffset());
  info.relativeOffset = field<uint64_t>(info.offsetOffset());
  if (nameLength == 0 && dimensions == 0 && info.ggmlType == 0 && info.relativeOffset == 0) {
    report(finding(Rule::TENSOR_INFO_IS_PADDING, "the description of tensor ", index,
                   " is all zeros, so it is padding: the tensor count is too high by ",
                   header_.declaredTensors - index, ", or descriptions are missing")
               .at(start, end - start)
               .wanted(joined(header_.declaredTensors, " tensor infos"), joined(index)));
  }
  header_.tensors.push_back(std::move(info));
  parsed_ = end;
  return Step::ADVANCED;
}

}  // namespace packed
