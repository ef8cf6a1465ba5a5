// What a quantizer knows about the values of a block beside the values.
#pragma once

namespace packed {

struct Importance {
  // A weight per value of the block, how much an error on it counts; null when all count the same.
  // Finite and not negative.
  const float* perValue = nullptr;
  // Mean of the squares of the whole row, which the definitions of Q4_0, Q4_1, Q5_0 and Q5_1 use.
  float rowMeanSquare = 0;
};

}  // namespace packed
