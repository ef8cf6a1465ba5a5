#include "gguf/text_damage.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "gguf/utf8.h"

namespace packed {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr uint64_t kBeyondParsed = 64;
constexpr uint64_t kLargestNumberArray = 4096;

// Signs that are too few to be chance: a sample with so many multi-byte characters and no byte that
// is not UTF-8; so many line feeds, all after a carriage return.
constexpr uint64_t kManyCharacters = 16;
constexpr uint64_t kManyReplacements = 4;
constexpr uint64_t kManyLineFeeds = 4;

std::string_view asText(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Calls visit(range of bytes, offset) for everything in the header that is a number.
template <class Visit>
void forEachNumber(const GgufHeader& header, uint64_t parsed, Visit visit) {
  const auto range = [&](uint64_t from, uint64_t to) {
    const uint64_t end = std::min<uint64_t>(to, header.bytes.size());
    if (from < end) {
      visit(Bytes(header.bytes)
                .subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(end - from)),
            from);
    }
  };
  range(4, 24);
  for (const MetadataEntry& entry : header.metadata) {
    range(entry.offset, entry.offset + 8);
    const bool text = entry.type == MetadataType::STRING ||
                      (entry.type == MetadataType::ARRAY && sizeOf(entry.elementType) == 0);
    const uint64_t valueBytes = text ? 0 : std::min(entry.byteLength, kLargestNumberArray);
    range(entry.typeOffset(), entry.valueOffset() + valueBytes);
  }
  for (const TensorInfo& info : header.tensors) {
    range(info.infoOffset, info.nameOffset());
    range(info.dimensionCountOffset(), info.offsetOffset() + 8);
  }
  range(parsed, parsed + kBeyondParsed);
}

struct Characters {
  uint64_t multiByte = 0;
  uint64_t replacements = 0;
};

// The characters of a sample that is UTF-8, but for a sequence cut off at either end; nothing when
// it is not.
std::optional<Characters> charactersOf(std::string_view sample) {
  std::size_t start = 0;
  while (start < 3 && start < sample.size() &&
         (static_cast<uint8_t>(sample[start]) & 0xc0) == 0x80) {
    ++start;
  }
  sample.remove_prefix(start);
  const std::size_t valid = firstInvalidUtf8(sample);
  if (sample.size() - valid > 3) return std::nullopt;
  sample = sample.substr(0, valid);
  Characters found;
  for (const char c : sample) found.multiByte += (static_cast<uint8_t>(c) & 0xc0) == 0xc0;
  for (std::size_t at = sample.find(kReplacement); at != std::string_view::npos;
       at = sample.find(kReplacement, at + kReplacement.size())) {
    ++found.replacements;
  }
  return found;
}

}  // namespace

void TextDamage::addHeader(const GgufHeader& header, uint64_t parsed) {
  forEachNumber(header, parsed, [&](Bytes bytes, uint64_t offset) {
    const std::string_view text = asText(bytes);
    for (std::size_t at = text.find(kReplacement); at != std::string_view::npos;
         at = text.find(kReplacement, at + kReplacement.size())) {
      if (replaced_++ == 0) firstReplaced_ = offset + at;
    }
    countLineFeeds(bytes, offset);
  });
}

void TextDamage::addTensor(Bytes sample, uint64_t offset, const std::string& name) {
  countLineFeeds(sample, offset);
  const auto found = charactersOf(asText(sample));
  if (!found) return;
  if (found->multiByte < kManyCharacters && found->replacements < kManyReplacements) return;
  if (decodedTensors_++ > 0) return;
  firstDecoded_ = name;
  firstDecodedAt_ = offset;
}

void TextDamage::countLineFeeds(Bytes bytes, uint64_t offset) {
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if (bytes[i] != '\n') continue;
    ++lineFeeds_;
    if (bytes[i - 1] != '\r') continue;
    if (lineFeedsAfterReturn_++ == 0) firstReturn_ = offset + i - 1;
  }
}

void TextDamage::report(bool stopped, FindingList& findings) const {
  if (replaced_ > 0 || decodedTensors_ > 0) {
    const std::string where =
        replaced_ > 0 ? joined("EF BF BD (the replacement character) stands where numbers belong, ",
                               replaced_, replaced_ == 1 ? " time" : " times",
                               " in the header, first at byte ", *firstReplaced_)
                      : joined("the bytes of ", decodedTensors_,
                               decodedTensors_ == 1 ? " tensor" : " tensors",
                               " are UTF-8 text, first of ", quoted(firstDecoded_));
    findings.add(finding(Rule::TEXT_DECODED,
                         "the file went through a text decoder, which destroyed it: ", where,
                         "; fetch or copy the original again as binary")
                     .at(firstReplaced_.value_or(firstDecodedAt_.value_or(0)))
                     .in(replaced_ > 0 ? "" : firstDecoded_));
  }
  const uint64_t enough = stopped ? 1 : kManyLineFeeds;
  if (lineFeedsAfterReturn_ >= enough && lineFeedsAfterReturn_ == lineFeeds_) {
    findings.add(
        finding(Rule::CRLF_CONVERTED,
                "line feeds were converted to carriage return and line "
                "feed: all ",
                lineFeeds_, " looked at are preceded by one, first at byte ", *firstReturn_,
                "; fetch or copy the original again as binary (git: mark *.gguf as binary)")
            .at(*firstReturn_, 2));
  }
}

}  // namespace packed
