// Bytes that may be a weight: a diagnosis always ends, says that they agree exactly when they are
// equal, and explains no more blocks than there are.
#include "weights/diagnosis.h"

#include "fuzz/observed_weight.h"

using namespace packed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  fuzz::FuzzInput input(data, size);
  const fuzz::ObservedWeight weight = fuzz::observedWeight(input);
  const auto result = diagnose(weight.observed, weight.encoding, weight.expectation());
  FUZZ_CLAIM(result.ok());
  const bool equal = weight.observed == fuzz::expectedBytes(weight);
  FUZZ_CLAIM((result->kind == DiagnosisKind::AGREES) == equal);
  FUZZ_CLAIM(result->explained <= result->total);
  FUZZ_CLAIM(!result->message.empty());
  FUZZ_CLAIM(!nameOf(result->kind).empty() && !meaningOf(result->kind).empty());
  return 0;
}
