#include "tensor/trace.h"

#include <utility>

#include "base/clock.h"

namespace packed {

TraceEvent::TraceEvent() = default;
TraceEvent::TraceEvent(const TraceEvent&) = default;
TraceEvent::TraceEvent(TraceEvent&&) noexcept = default;
TraceEvent& TraceEvent::operator=(const TraceEvent&) = default;
TraceEvent& TraceEvent::operator=(TraceEvent&&) noexcept = default;
TraceEvent::~TraceEvent() = default;

std::string_view nameOf(TraceKind kind) {
  switch (kind) {
#define X(name, meaning) \
  case TraceKind::name:  \
    return #name;
#include "tensor/trace_events.inc"
#undef X
  }
  return "Unknown";
}

void TraceRing::record(const TraceEvent& event) {
  if (capacity_ == 0) {
    ++dropped_;
  } else if (ring_.size() < capacity_) {
    ring_.push_back(event);
  } else {
    ring_[next_] = event;
    next_ = (next_ + 1) % capacity_;
    ++dropped_;
  }
}

std::vector<TraceEvent> TraceRing::events() const {
  std::vector<TraceEvent> sorted;
  sorted.reserve(ring_.size());
  for (std::size_t i = 0; i < ring_.size(); ++i) {
    sorted.push_back(ring_[(next_ + i) % ring_.size()]);
  }
  return sorted;
}

void TraceRing::clear() {
  ring_.clear();
  next_ = 0;
  dropped_ = 0;
}

Error refused(TraceSink* sink, Error error) {
  if (sink) {
    TraceEvent event;
    event.kind = TraceKind::Refused;
    event.what = nameOf(error.code);
    event.reason = error.message;
    event.startNanos = nowNanos();
    sink->record(event);
  }
  return error;
}

}  // namespace packed
