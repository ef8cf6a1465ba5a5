// The mistakes of converters with PLAIN values (F32, F16, ..), each made on purpose and without any
// of the library's own arithmetic.
#pragma once

#include "support/mistakes.h"

namespace packed::mistakes {

// Finite values without a pattern, no two alike where the encoding has enough of them.
Weight values(Encoding encoding, uint64_t out, uint64_t inputDim);

// Names, kinds, and the bytes that each leaves; empty where it cannot be made.
struct ValueMistake {
  std::string name;
  DiagnosisKind kind;
  std::function<std::vector<uint8_t>(const Weight& weight)> make;
};
const std::vector<ValueMistake>& ofValues();

}  // namespace packed::mistakes
