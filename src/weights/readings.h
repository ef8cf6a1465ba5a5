// Bytes read for their values: near enough to the reference's they are the same weight, quantized
// by somebody else, in another encoding, or with the axes exchanged.
#pragma once

#include <string>

#include "weights/hypothesis.h"

namespace packed {

struct Reading {
  std::string text;      // "; read as Q4_1 they are nearly the reference's values"
  std::string fix;       // empty where nothing mends it
  bool inPlace = false;  // in the encoding and the places that are expected
};

// Empty where no reading of the bytes comes near.
Reading readingOf(const Observation& seen);

}  // namespace packed
