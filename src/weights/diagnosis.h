// diagnose: which mistake turned the reference into these bytes, with the evidence and the call
// that mends it.
//
// Every known mistake is a hypothesis (hypothesis.h): it foretells the bytes that it would have
// produced, and the observed bytes are held against that, block by block. A verdict is given only
// when exactly one kind of mistake foretells them. A square grid, one block per row, equal rows or
// constant content make different mistakes produce the same bytes: then the verdict is UNDETERMINED
// and says why. Bytes of another quantizer are foretold by no mistake; then values decide, where
// they are near for one kind and far for every other (near_mistake.h).
//
// Of a PLAIN encoding (F32, F16, BF16, ..) values are looked at instead of blocks, against a
// reference only: transposed is their other order, and a constant term or factor is found up to
// rounding.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weights/expectation.h"

namespace packed {

enum class DiagnosisKind : uint8_t {
#define X(KIND, name, meaning) KIND,
#include "weights/diagnosis_kinds.inc"
#undef X
};

std::string_view nameOf(DiagnosisKind kind);  // "other-order"
std::string_view meaningOf(DiagnosisKind kind);

struct Diagnosis {
  DiagnosisKind kind = DiagnosisKind::UNDETERMINED;
  std::string variant;  // which of its forms: "4x8, codes XOR 0x88"; may be empty
  // Blocks, or values, that the verdict foretells byte for byte. Where the bytes were quantized or
  // rounded in another way besides, those of a sample whose values it foretells.
  uint64_t explained = 0;
  uint64_t total = 0;                     // blocks observed, a cut-off last one included
  std::vector<DiagnosisKind> candidates;  // under UNDETERMINED: the kinds that fit equally well
  std::string message;                    // one or two sentences in plain words, with the numbers
  std::string fix;      // the call or the step that mends it; empty when nothing does
  std::string picture;  // the first few blocks: where each belongs, and what stands there
};

// Errors: those of resolve(), OUT_OF_MEMORY.
Result<Diagnosis> diagnose(Bytes observed, Encoding encoding, const Expectation& expectation);

}  // namespace packed
