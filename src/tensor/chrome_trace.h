// Events as the JSON that chrome://tracing, Perfetto and speedscope open ("Trace Event Format", the object
// form with a traceEvents array).
//
//   what takes time (KernelRun, AdapterInserted)   "X" complete events, ts and dur in microseconds
//   what happens at once                           "i" instant events
//   what a scope holds                             "C" counters, one track per scope
//
// Every field of an event that is set stands in args. Times are microseconds since the first event, with
// nanoseconds as decimals.
#pragma once

#include <span>
#include <string>

#include "tensor/trace.h"

namespace packed {

std::string chromeTrace(std::span<const TraceEvent> events);

}  // namespace packed
