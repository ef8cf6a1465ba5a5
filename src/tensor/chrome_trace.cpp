#include "tensor/chrome_trace.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace packed {
namespace {

std::string quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      json += "\\u00";
      json += kHex[byte >> 4];
      json += kHex[byte & 15];
    } else {
      json += c;
    }
  }
  return json += '"';
}

// Nanoseconds as microseconds with three decimals, exactly.
std::string micros(uint64_t nanos) {
  const std::string decimals = std::to_string(nanos % 1000);
  return joined(nanos / 1000, ".", std::string(3 - decimals.size(), '0'), decimals);
}

std::string argsOf(const TraceEvent& event) {
  std::string args;
  const auto add = [&](std::string_view key, const std::string& value) {
    args += joined(args.empty() ? "" : ",", "\"", key, "\":", value);
  };
  const auto text = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) add(key, quoted(value));
  };
  const auto number = [&](std::string_view key, uint64_t value) {
    if (value != 0) add(key, std::to_string(value));
  };
  text("what", event.what);
  text("from", event.from);
  text("to", event.to);
  text("target", event.target);
  text("scope", event.scope);
  text("reason", event.reason);
  number("bytes", event.bytes);
  number("bytesRead", event.bytesRead);
  number("bytesWritten", event.bytesWritten);
  return args;
}

bool takesTime(const TraceEvent& event) {
  return event.kind == TraceKind::KernelRun || event.kind == TraceKind::AdapterInserted;
}

// The bytes that a scope holds after the event, if the event changes them.
bool changesScope(const TraceEvent& event, uint64_t& held) {
  if (event.kind == TraceKind::Allocation) {
    held += event.bytes;
    return true;
  }
  if (event.kind == TraceKind::Free || event.kind == TraceKind::ScopeReset) {
    held -= std::min(held, event.bytes);  // its allocation may have been dropped by a full ring
    return true;
  }
  return false;
}

}  // namespace

std::string chromeTrace(std::span<const TraceEvent> events) {
  uint64_t start = UINT64_MAX;
  for (const TraceEvent& event : events) start = std::min(start, event.startNanos);
  std::string json =
      "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
      "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"ts\":0,\"name\":\"process_name\","
      "\"args\":{\"name\":\"packed-weights\"}}";
  std::map<std::string, uint64_t> heldByScope;
  for (const TraceEvent& event : events) {
    const std::string when = micros(event.startNanos - start);
    const std::string name = takesTime(event) && !event.what.empty() ? event.what
                                                                      : std::string(nameOf(event.kind));
    json += joined(",\n{\"ph\":\"", takesTime(event) ? "X" : "i", "\",\"pid\":1,\"tid\":1,\"ts\":", when,
                   takesTime(event) ? joined(",\"dur\":", micros(event.nanos)) : ",\"s\":\"t\"",
                   ",\"cat\":\"", nameOf(event.kind), "\",\"name\":", quoted(name), ",\"args\":{",
                   argsOf(event), "}}");
    if (uint64_t& held = heldByScope[event.scope]; changesScope(event, held)) {
      json += joined(",\n{\"ph\":\"C\",\"pid\":1,\"tid\":1,\"ts\":", when, ",\"name\":",
                     quoted("scope " + event.scope), ",\"args\":{\"bytes\":", held, "}}");
    }
  }
  return json + "\n]}\n";
}

}  // namespace packed
