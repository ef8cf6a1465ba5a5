// JsSink: a TraceSink whose events go to a function of JS, as plain objects with the fields that
// apply.
#pragma once

#include "adapt.h"

namespace packed::bindings {

class JsSink final : public TraceSink {
 public:
  explicit JsSink(val callback) : callback_(std::move(callback)) {}
  void record(const TraceEvent& event) override { callback_(eventObject(event)); }

 private:
  static val eventObject(const TraceEvent& event) {
    Object object;
    object.set("kind", nameOf(event.kind));
    const auto text = [&](const char* key, const std::string& value) {
      if (!value.empty()) object.set(key, value);
    };
    const auto number = [&](const char* key, uint64_t value) {
      if (value != 0) object.set(key, static_cast<double>(value));
    };
    text(event.kind == TraceKind::Refused ? "code" : nameOfWhat(event.kind), event.what);
    text("from", event.from);
    text("to", event.to);
    text("target", event.target);
    text("scope", event.scope);
    text("reason", event.reason);
    number("bytes", event.bytes);
    number("bytesRead", event.bytesRead);
    number("bytesWritten", event.bytesWritten);
    object.set("startNanos", event.startNanos);
    object.set("nanos", event.nanos);
    return std::move(object);
  }

  static const char* nameOfWhat(TraceKind kind) {
    return kind == TraceKind::KernelRun || kind == TraceKind::ReferenceUsed ? "kernel" : "what";
  }

  val callback_;
};

}  // namespace packed::bindings
