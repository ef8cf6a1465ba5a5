#include "tensor/chrome_trace.h"

#include <doctest/doctest.h>

#include "support/views.h"
#include "tensor/prepack.h"

namespace packed {
namespace {

using namespace oracle;

// Whether brackets and quotes close as JSON wants them; the shape is checked against a parser in JS.
bool closes(const std::string& json) {
  std::string open;
  bool inText = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (inText) {
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c == '\\') ++i;
      if (c == '"') inText = false;
    } else if (c == '"') {
      inText = true;
    } else if (c == '{' || c == '[') {
      open.push_back(c);
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != (c == '}' ? '{' : '[')) return false;
      open.pop_back();
    }
  }
  return open.empty() && !inText;
}

}  // namespace

TEST_CASE("chrome trace: work is a complete event with its real time and bytes") {
  TraceEvent event;
  event.kind = TraceKind::KernelRun;
  event.what = "matmul_f32_q4_0_row_major_scalar";
  event.bytesRead = 270;
  event.bytesWritten = 20;
  event.startNanos = 5'000'001'234;
  event.nanos = 1'007;
  TraceEvent before;
  before.kind = TraceKind::CacheHit;
  before.startNanos = 5'000'000'000;
  const TraceEvent events[] = {before, event};
  const std::string json = chromeTrace(events);
  CHECK(closes(json));
  CHECK(json.find("{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1.234,\"dur\":1.007,\"cat\":\"KernelRun\",\"name\":"
                  "\"matmul_f32_q4_0_row_major_scalar\",\"args\":{\"what\":"
                  "\"matmul_f32_q4_0_row_major_scalar\",\"bytesRead\":270,\"bytesWritten\":20}}") !=
        std::string::npos);
  CHECK(json.find("{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":0.000,\"s\":\"t\",\"cat\":\"CacheHit\"") !=
        std::string::npos);
}

TEST_CASE("chrome trace: what a scope holds is a counter of its own") {
  TraceRing ring;
  {
    Scope scope("layer \"3\"\n", &ring);
    const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, BlockOrder::ROW_MAJOR);
    REQUIRE(prepack(w, BlockOrder::INPUT_BLOCK_MAJOR, scope, &ring).ok());
  }
  const std::string json = chromeTrace(ring.events());
  CHECK(closes(json));
  const std::string counter = "\"name\":\"scope layer \\\"3\\\"\\u000a\",\"args\":{\"bytes\":";
  CHECK(json.find(counter + "270}") != std::string::npos);
  CHECK(json.find(counter + "540}") != std::string::npos);
  CHECK(json.find(counter + "0}") != std::string::npos);
  CHECK(json.find("prepack-input_block_major") != std::string::npos);
}

TEST_CASE("chrome trace: no events are still a trace") {
  CHECK(closes(chromeTrace({})));
  CHECK(chromeTrace({}).find("\"traceEvents\":[") != std::string::npos);
}

}  // namespace packed
