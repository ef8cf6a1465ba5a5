// HeaderReader: reads a GGUF header from bytes that arrive in pieces of any size.
//
//   HeaderReader reader(totalSize);
//   while (reader.state() == HeaderReader::State::WANTS_BYTES) {
//     read reader.wantedBytes() bytes of the source at reader.position();
//     reader.feed(them);
//   }
//   reader.refusal()  ->  the Error, if this file must not be read
//   reader.header()   ->  what it says
//
// - Pieces follow each other without gaps, starting at byte 0. Fewer bytes than wanted are fine,
//   and so are more: what lies beyond the header is kept in GgufHeader::bytes and not looked at.
// - Nothing is parsed twice: however small the pieces, the work is linear in the size of the
//   header. `wantedBytes` grows with what has been read: a header of 20 MiB takes a few reads.
// - Counts and lengths are compared with limits.h and with the size of the file before anything is
//   allocated or skipped by them.
//
// Strictness. Everything the parser meets goes into findings() (rules.inc). refusal() is the first
// one that makes reading unsafe or meaningless. A tensor of an unknown type, with an impossible
// shape or an offset out of the file is no reason to refuse the file: it is listed, and
// byteLengthOf or tensorRange (tensor_range.h) say why it cannot be read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "gguf/finding.h"
#include "gguf/gguf_types.h"

namespace packed {

class HeaderReader {
 public:
  enum class State : uint8_t {
    WANTS_BYTES,
    DONE,     // header() is complete; refusal() may still name a reason not to read by it
    STOPPED,  // the rest cannot be parsed; header() holds what was read before
  };

  explicit HeaderReader(uint64_t totalSize);

  // The bytes at position(). Ignored once the state is DONE or STOPPED.
  State feed(Bytes piece);

  // The same without a copy: `space` hands out room for the next `size` bytes, `commit` says how
  // many of them have been filled. The room is valid until the next call.
  MutableBytes space(uint64_t size);
  State commit(uint64_t size);

  State state() const { return state_; }
  uint64_t position() const { return filled_; }  // how many bytes have arrived
  uint64_t wantedBytes() const;                  // how many to bring next; 0 unless WANTS_BYTES
  uint64_t totalSize() const { return totalSize_; }
  uint64_t parsedBytes() const { return parsed_; }  // how many of them have been understood

  const GgufHeader& header() const { return header_; }
  const std::vector<Finding>& findings() const { return findings_; }
  std::optional<Error> refusal() const;

  // The header, or the refusal; an incomplete header is TRUNCATED. Leaves the reader empty.
  Result<GgufHeader> take() &&;

 private:
  enum class Section : uint8_t { START, METADATA, ARRAY, TENSORS, END };
  // Whether one step of the parser got through, lacks bytes, or cannot go on.
  enum class Step : uint8_t { ADVANCED, STARVED, STOPPED };

  // An array that is being skipped; the innermost is last.
  struct ArrayLevel {
    MetadataType elementType;
    uint64_t remaining;
  };

  void parse();
  Step parseStep();
  Step parseStart();
  Step parseVersion();
  Step checkCount(Rule rule, uint64_t at, uint64_t count, const char* what, uint64_t limit,
                  uint64_t leastEach);
  Step parseMetadataEntry();
  Step openArray(uint64_t at);
  Step parseArray();
  Step skipStrings(ArrayLevel& level);
  Step parseTensorInfo();
  void finish();
  void finishAlignment();
  void finishTensors();
  void reportDuplicates();

  // Whether the bytes up to `end` are here, of which `what` is made. STARVED asks for them; STOPPED
  // when the file has not got them. needLength: `length` bytes from `start`, as declared at
  // lengthAt.
  Step need(uint64_t end, const char* what);
  Step needLength(uint64_t lengthAt, uint64_t start, uint64_t length, const char* what);
  Step stop(Finding finding);
  void report(Finding finding) { findings_.push_back(std::move(finding)); }

  template <class T>
  T field(uint64_t at) const;
  std::string_view text(uint64_t at, uint64_t length) const;

  GgufHeader header_;
  std::vector<Finding> findings_;
  std::vector<ArrayLevel> arrays_;
  MetadataEntry pendingEntry_;  // while its array is being skipped
  uint64_t totalSize_;
  uint64_t filled_ = 0;    // bytes of header_.bytes that have arrived
  uint64_t parsed_ = 0;    // bytes that have been understood
  uint64_t required_ = 0;  // the next step needs the bytes up to here
  Section section_ = Section::START;
  State state_ = State::WANTS_BYTES;
};

}  // namespace packed
