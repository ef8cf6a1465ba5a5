// Trace: what the library did, with its price. Events flow into the sink that a caller hands in,
// and nowhere else; without a sink nothing is reported.
//
// Nothing is ever converted silently: a relayout is an AdapterInserted event, a slow path a
// ReferenceUsed event, a reversed label a LabelReversed event.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace packed {

enum class TraceKind : uint8_t {
#define X(kind, meaning) kind,
#include "tensor/trace_events.inc"
#undef X
};
std::string_view nameOf(TraceKind kind);

// A field is empty or zero where the kind has no use for it.
struct TraceEvent {
  // Out of line, as on Error.
  TraceEvent();
  TraceEvent(const TraceEvent&);
  TraceEvent(TraceEvent&&) noexcept;
  TraceEvent& operator=(const TraceEvent&);
  TraceEvent& operator=(TraceEvent&&) noexcept;
  ~TraceEvent();

  TraceKind kind = TraceKind::KernelRun;
  // Adapter kind ("prepack-input_block_major"), kernel name, tensor, purpose of an allocation,
  // "reset" or "close" of a scope, or a refusal's code.
  std::string what;
  std::string from;           // order, encoding or label before
  std::string to;             // order, encoding or label after
  std::string target;         // what the work was for: a kernel key, a shape
  std::string scope;          // the scope that owns what was made, or "in place"
  std::string reason;         // why, in words
  uint64_t bytes = 0;         // copied, allocated or freed
  uint64_t bytesRead = 0;     // packed bytes that a kernel read
  uint64_t bytesWritten = 0;  // bytes of results that a kernel wrote
  uint64_t startNanos = 0;
  uint64_t nanos = 0;
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void record(const TraceEvent& event) = 0;
};

// Keeps the newest `capacity` events and counts those that it had to drop.
class TraceRing final : public TraceSink {
 public:
  explicit TraceRing(std::size_t capacity = 65536) : capacity_(capacity) {}

  void record(const TraceEvent& event) override;
  std::vector<TraceEvent> events() const;  // oldest first
  uint64_t dropped() const { return dropped_; }
  void clear();

 private:
  std::size_t capacity_;
  std::size_t next_ = 0;
  uint64_t dropped_ = 0;
  std::vector<TraceEvent> ring_;
};

// Hands every event on as it happens. The function must not call back into what is being traced.
class TraceCallback final : public TraceSink {
 public:
  explicit TraceCallback(std::function<void(const TraceEvent&)> tell) : tell_(std::move(tell)) {}
  void record(const TraceEvent& event) override { tell_(event); }

 private:
  std::function<void(const TraceEvent&)> tell_;
};

// Tells the sink, if there is one, that a call was refused, and hands the error on.
Error refused(TraceSink* sink, Error error);

}  // namespace packed
