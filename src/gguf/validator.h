// Validator: every rule of rules.inc over a file of any size, in one pass, in bounded memory.
//
//   Validator validator(totalSize, {.profile = Profile::LLAMA});
//   while (!validator.done()) {
//     read up to validator.wanted().length bytes at validator.wanted().offset;
//     validator.feed(them);
//   }
//   ValidationReport report = std::move(validator).report();
//
// - The header is fed first, in a few growing pieces; then everything to the end of the file, in
//   sequence, in pieces of whatever size the caller likes (a few MiB are quick). Without tensor
//   data the pass ends soon after the header.
// - Nothing is kept but the header and a few counters per tensor. One bad tensor does not hide the
//   others, and thousands of equal findings are one with a count.
// - A hole of a sparse file may be passed over with skipHole; it counts as zeros and is reported.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gguf/data_findings.h"
#include "gguf/finding_list.h"
#include "gguf/reader.h"
#include "gguf/tensor_range.h"
#include "gguf/tensor_scan.h"
#include "gguf/text_damage.h"

namespace packed {

struct ValidatorOptions {
  Profile profile = Profile::SPEC;
  bool tensorData = true;     // look at the bytes of the tensors, not only at where they are
  std::string fileName = {};  // for the names of shards; empty when there is none
  bool partOfSet = false;  // the other shards are checked too, and checkSplitSet over all of them
};

struct ValidationReport {
  Profile profile = Profile::SPEC;
  std::vector<Finding> findings;  // worst first, then in the order of the file
  uint64_t tensorsChecked = 0;    // described in full and, with tensor data, looked at to the end
  uint64_t bytesChecked = 0;      // of tensor data
  uint64_t bytesSkipped = 0;      // holes

  Severity severityOf(const Finding& one) const { return specOf(one.rule).severity(profile); }
  uint64_t countOf(Severity severity) const;  // findings of this severity
  // Nothing of severity ERROR, and something was checked: zero tensors are no success.
  bool ok() const { return countOf(Severity::ERROR) == 0 && tensorsChecked > 0; }
};

class Validator {
 public:
  Validator(uint64_t totalSize, ValidatorOptions options);

  bool done() const { return phase_ == Phase::DONE; }
  // Whether the header has been read: what is wanted then is the rest of the pass, in one range.
  bool pastHeader() const { return phase_ != Phase::HEADER; }
  // The next bytes, which follow those fed before; an empty range when done. Any non-empty part of
  // them from the start will do.
  ByteRange wanted() const;
  void feed(Bytes bytes);
  // The first `length` bytes wanted are a hole. Ignored while the header is being read.
  void skipHole(uint64_t length);

  const GgufHeader& header() const { return reader_.header(); }
  // Complete once done(); before that, of a pass that was broken off, what has been found.
  ValidationReport report() &&;

 private:
  enum class Phase : uint8_t { HEADER, DATA, DONE };

  // A stretch of the file to look at, in the order of their offsets: a tensor, or padding behind
  // one (`info` is the tensor before it, null for the padding of the header).
  struct Stretch {
    ByteRange range;
    const TensorInfo* info;
    bool padding;
  };
  struct ActiveScan {
    Stretch stretch;
    TensorScan scan;
    bool sampled = false;
  };

  void headerRead();
  void planStretches();
  uint64_t bytesToScan(const TensorInfo& info, const StoredRegions& regions) const;
  bool ternaryCodes(const TensorInfo& info) const;
  TensorScan scanOf(const Stretch& stretch) const;
  void planPadding(std::vector<Stretch>& stretches) const;
  void pass(Bytes bytes, uint64_t length);  // bytes empty: a hole of this length
  void advance(Bytes bytes, uint64_t from, uint64_t to);
  void passStretch(ActiveScan& active, Bytes part, uint64_t length);
  void passPadding(const Stretch& stretch, Bytes part, uint64_t offset);
  void conclude(const ActiveScan& active);
  void finish();

  HeaderReader reader_;
  ValidatorOptions options_;
  uint64_t totalSize_;
  FindingList findings_;
  TextDamage damage_;
  DataFindings data_;
  Phase phase_ = Phase::HEADER;

  std::vector<Stretch> stretches_;
  std::size_t nextStretch_ = 0;
  std::vector<ActiveScan> active_;
  uint64_t position_ = 0;             // in the file, of the pass after the header
  uint64_t end_ = 0;                  // where the pass ends
  std::vector<uint8_t> afterHeader_;  // the first bytes after the last tensor info
  uint64_t notScanned_ = 0;
  uint64_t tensorsChecked_ = 0;
  uint64_t bytesChecked_ = 0;
  uint64_t bytesSkipped_ = 0;
  bool dirtyPadding_ = false;
  bool bitnet_ = false;  // whether type 36 is I2_S
};

}  // namespace packed
