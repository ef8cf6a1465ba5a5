#include "gguf/validator.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "gguf/header_rules.h"
#include "gguf/limits.h"
#include "gguf/metadata_value.h"
#include "gguf/split_set.h"
#include "gguf/undeclared_tensor.h"
#include "gguf/utf8.h"

namespace packed {
namespace {

// Tensors that overlap are each scanned, but a hostile file must not have every byte scanned a
// hundred thousand times: more than this many at once are not.
constexpr std::size_t kMaxOverlappingScans = 8;

constexpr uint64_t kLargestSample = 64 << 10;
constexpr uint64_t kSmallestSample = 4 << 10;

}  // namespace

uint64_t ValidationReport::countOf(Severity severity) const {
  return static_cast<uint64_t>(std::ranges::count_if(
      findings, [&](const Finding& one) { return severityOf(one) == severity; }));
}

Validator::Validator(uint64_t totalSize, ValidatorOptions options)
    : reader_(totalSize),
      options_(std::move(options)),
      totalSize_(totalSize),
      findings_(options_.profile) {
  headerRead();  // an empty file is judged at once
}

ByteRange Validator::wanted() const {
  if (phase_ == Phase::HEADER) return {reader_.position(), reader_.wantedBytes()};
  if (phase_ == Phase::DATA) return {position_, end_ - position_};
  return {totalSize_, 0};
}

void Validator::feed(Bytes bytes) {
  if (phase_ == Phase::HEADER) {
    reader_.feed(bytes);
    headerRead();
  } else if (phase_ == Phase::DATA) {
    const Bytes used =
        bytes.first(static_cast<std::size_t>(std::min<uint64_t>(bytes.size(), end_ - position_)));
    pass(used, used.size());
  }
}

void Validator::skipHole(uint64_t length) {
  if (phase_ != Phase::DATA) return;
  const uint64_t skipped = std::min(length, end_ - position_);
  bytesSkipped_ += skipped;
  pass({}, skipped);
}

ValidationReport Validator::report() && {
  ValidationReport made;
  made.profile = options_.profile;
  made.findings = std::move(findings_).take();
  made.tensorsChecked = tensorsChecked_;
  made.bytesChecked = bytesChecked_;
  made.bytesSkipped = bytesSkipped_;
  return made;
}

// --- The header

void Validator::headerRead() {
  if (reader_.state() == HeaderReader::State::WANTS_BYTES) return;
  for (const Finding& found : reader_.findings()) findings_.add(found);
  const GgufHeader& header = reader_.header();
  damage_.addHeader(header, reader_.parsedBytes());
  checkMetadata(header, findings_);
  checkTensorInfos(header, findings_);
  if (reader_.state() == HeaderReader::State::STOPPED) {
    if (header.version != 0) damage_.report(true, findings_);
    phase_ = Phase::DONE;
    return;
  }
  checkRequiredKeys(header, findings_);
  checkShard(header, options_.fileName, !options_.partOfSet, findings_);
  if (!options_.partOfSet) checkShapes(header, findings_);
  const auto architecture = textValue(header, "general.architecture");
  bitnet_ = architecture && architecture->starts_with("bitnet");
  phase_ = Phase::DATA;
  position_ = header.endOffset;
  end_ = totalSize_;
  if (!options_.tensorData) {
    const uint64_t enough = std::max(header.dataStart, header.endOffset + kUndeclaredTensorBytes);
    end_ = std::min(totalSize_, enough);
  }
  planStretches();
  const Bytes rest = Bytes(header.bytes).subspan(static_cast<std::size_t>(header.endOffset));
  feed(rest);
  if (position_ >= end_) finish();
}

void Validator::planStretches() {
  const GgufHeader& header = reader_.header();
  planPadding(stretches_);
  const StoredRegions regions(header, totalSize_);
  for (const TensorInfo& info : header.tensors) {
    if (!info.offset || *info.offset > totalSize_) continue;
    const uint64_t length = std::min(bytesToScan(info, regions), totalSize_ - *info.offset);
    if (!options_.tensorData || length == 0) {
      tensorsChecked_ += info.byteLength.has_value() && *info.byteLength <= length;
    } else {
      stretches_.push_back({{*info.offset, length}, &info, false});
    }
  }
  std::ranges::stable_sort(stretches_, {}, [](const Stretch& one) { return one.range.offset; });
}

// Of a type that is not known the stored bytes are still there to be looked at; of I2_S only its
// codes, four a byte, without the scale behind them.
uint64_t Validator::bytesToScan(const TensorInfo& info, const StoredRegions& regions) const {
  if (info.byteLength) return *info.byteLength;
  const uint64_t stored = regions.lengthOf(info);
  if (!ternaryCodes(info)) return stored;
  std::optional<uint64_t> values = 1;
  for (const uint64_t dimension : info.ne) {
    values = values ? checkedMul(*values, dimension) : values;
  }
  return values ? std::min(stored, *values / 4) : stored;
}

bool Validator::ternaryCodes(const TensorInfo& info) const {
  constexpr uint32_t kI2S = 36;  // in BitNet files; elsewhere the number means something else
  return info.ggmlType == kI2S && bitnet_;
}

// The zeros behind the header and behind each tensor, as far as nothing else stands there.
void Validator::planPadding(std::vector<Stretch>& stretches) const {
  const GgufHeader& header = reader_.header();
  std::vector<std::pair<ByteRange, const TensorInfo*>> placed;
  for (const TensorInfo& info : header.tensors) {
    if (!info.offset || *info.offset >= totalSize_) continue;
    const auto end = checkedAdd(*info.offset, info.byteLength.value_or(0));
    if (!info.byteLength || !end || *end > totalSize_) {
      placed.push_back({{*info.offset, totalSize_ - *info.offset}, &info});
    } else {
      placed.push_back({{*info.offset, *info.byteLength}, &info});
    }
  }
  std::ranges::stable_sort(placed, {}, [](const auto& one) { return one.first.offset; });
  const auto add = [&](uint64_t from, uint64_t limit, const TensorInfo* before) {
    const uint64_t aligned = checkedAlignUp(from, header.alignment).value_or(limit);
    const uint64_t to = std::min({aligned, limit, totalSize_});
    if (from < to) stretches.push_back({{from, to - from}, before, true});
  };
  uint64_t covered = header.endOffset;
  const TensorInfo* before = nullptr;
  for (const auto& [range, info] : placed) {
    if (range.offset > covered) add(covered, range.offset, before);
    if (range.end() >= covered) {
      covered = range.end();
      before = info;
    }
  }
  add(covered, totalSize_, before);
}

// --- The pass over the data

void Validator::pass(Bytes bytes, uint64_t length) {
  const uint64_t from = position_;
  const uint64_t to = from + length;
  if (afterHeader_.size() < kUndeclaredTensorBytes) {
    const std::size_t known = afterHeader_.size();
    const uint64_t more = std::min<uint64_t>(kUndeclaredTensorBytes - known, length);
    afterHeader_.resize(known + static_cast<std::size_t>(more));
    std::copy_n(bytes.begin(), bytes.empty() ? 0 : more, afterHeader_.begin() + known);
  }
  for (; nextStretch_ < stretches_.size(); ++nextStretch_) {
    const Stretch& next = stretches_[nextStretch_];
    if (next.range.offset >= to) break;
    advance(bytes, from, next.range.offset);  // what ends before makes room
    if (active_.size() < kMaxOverlappingScans) {
      // In the order in which they end, so that the windows do not matter to what is said first.
      const auto at =
          std::ranges::upper_bound(active_, next.range.end(), {},
                                   [](const ActiveScan& one) { return one.stretch.range.end(); });
      active_.insert(at, {next, scanOf(next)});
    } else {
      ++notScanned_;
    }
  }
  advance(bytes, from, to);
  if (position_ >= end_) finish();
}

// Hands every active scan its bytes from position_ up to `to`. `bytes` start at `from` in the file.
void Validator::advance(Bytes bytes, uint64_t from, uint64_t to) {
  for (ActiveScan& active : active_) {
    const uint64_t begin = std::max(position_, active.stretch.range.offset);
    const uint64_t end = std::min(to, active.stretch.range.end());
    if (begin >= end) continue;
    const Bytes part = bytes.empty() ? bytes
                                     : bytes.subspan(static_cast<std::size_t>(begin - from),
                                                     static_cast<std::size_t>(end - begin));
    if (active.stretch.padding) {
      passPadding(active.stretch, part, begin);
    } else {
      passStretch(active, part, end - begin);
    }
    if (end == active.stretch.range.end()) conclude(active);
  }
  std::erase_if(active_, [&](const ActiveScan& one) { return one.stretch.range.end() <= to; });
  position_ = to;
}

TensorScan Validator::scanOf(const Stretch& stretch) const {
  if (stretch.padding) return TensorScan::ofBytes();
  if (stretch.info->byteLength) {
    return TensorScan::ofBlocks(*stretch.info->encoding, header().littleEndian);
  }
  return ternaryCodes(*stretch.info) ? TensorScan::ofTernaryCodes() : TensorScan::ofBytes();
}

void Validator::passStretch(ActiveScan& active, Bytes part, uint64_t length) {
  bytesChecked_ += length;
  if (part.empty()) return active.scan.feedZeros(length);
  const uint64_t wholeTensor = active.stretch.range.length;
  if (!active.sampled && part.size() >= std::min(kSmallestSample, wholeTensor)) {
    const uint64_t seen = active.scan.blocks() * active.scan.blockBytes();
    const Bytes sample = part.first(std::min<std::size_t>(part.size(), kLargestSample));
    damage_.addTensor(sample, active.stretch.range.offset + seen, active.stretch.info->name);
    active.sampled = true;
  }
  active.scan.feed(part);
}

void Validator::passPadding(const Stretch& stretch, Bytes part, uint64_t offset) {
  if (dirtyPadding_) return;
  const auto dirty = std::ranges::find_if(part, [](uint8_t byte) { return byte != 0; });
  if (dirty == part.end()) return;
  dirtyPadding_ = true;
  const uint64_t at = offset + static_cast<uint64_t>(dirty - part.begin());
  findings_.add(
      finding(Rule::PADDING_NOT_ZERO, "the padding behind ",
              stretch.info ? joined("tensor ", quoted(stretch.info->name)) : "the header",
              " is not zero, first at byte ", at,
              ": something was written where nothing belongs; a size or count may be wrong")
          .at(at, stretch.range.end() - at)
          .in(stretch.info ? stretch.info->name : ""));
}

void Validator::conclude(const ActiveScan& active) {
  if (active.stretch.padding) {
    dirtyPadding_ = false;
    return;
  }
  const TensorInfo& info = *active.stretch.info;
  data_.conclude(info, active.stretch.range, active.scan, findings_);
  tensorsChecked_ += info.byteLength == active.stretch.range.length;
}

void Validator::finish() {
  if (phase_ == Phase::DONE) return;
  phase_ = Phase::DONE;
  const GgufHeader& header = reader_.header();
  checkOffsets(header, totalSize_, afterHeader_, findings_);
  if (auto found = undeclaredTensor(afterHeader_, header)) findings_.add(*std::move(found));
  damage_.report(false, findings_);
  data_.summarise(findings_);
  if (notScanned_ > 0) {
    findings_.add(finding(Rule::NOT_SCANNED, notScanned_,
                          " tensors were not looked at, because more than ", kMaxOverlappingScans,
                          " overlap in one place"));
  }
  if (!options_.tensorData && !header.tensors.empty()) {
    findings_.add(finding(Rule::NOT_SCANNED,
                          "tensor data was not looked at, as asked: NaN, infinity and lost weights "
                          "are not ruled out"));
  }
  if (bytesSkipped_ > 0) {
    findings_.add(finding(Rule::HOLES_SKIPPED, bytesSkipped_,
                          " bytes are holes of a sparse file and were taken as zeros unread"));
  }
  if (header.tensors.empty() && !options_.partOfSet) {
    findings_.add(finding(Rule::NOTHING_CHECKED,
                          "the file has no tensors: nothing was checked, which is not success (a "
                          "vocabulary or the first shard of a set may be meant to have none)")
                      .at(8, 8));
  }
}

}  // namespace packed
