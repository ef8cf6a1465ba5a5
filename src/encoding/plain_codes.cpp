#include "encoding/plain_codes.h"

#include <algorithm>

namespace packed {

ScaleAndOffset fitAffineCodes(const float* values, const Importance& importance, float maxCode,
                              uint8_t* codes) {
  float weights[32];
  definedWeights(values, importance, weights);
  const Range range = rangeOf(values, 32);
  ScaleAndOffset best{0, std::min(range.low, 0.0f)};
  const EvenLevels levels{0, maxCode};
  std::fill(codes, codes + 32, uint8_t{0});
  if (range.high <= best.m) return best;

  Lanes w = splat(0), x = splat(0);
  for (int i = 0; i < 32; i += 4) {
    const Lanes weight = loadLanes(weights + i);
    w += weight;
    x += weight * loadLanes(values + i);
  }
  const float wSum = sumOf(w);
  const float xSum = sumOf(x);

  float bestError = INFINITY;
  for (int k = -1; k <= 36; ++k) {
    // k = -1 is the plain range, and keeps its own scale and minimum. Every better fit moves the
    // start of the range that is tried next.
    const float low = best.m;
    const float span = k < 0 ? maxCode : maxCode - 0.9f + 0.05f * static_cast<float>(k);
    const float inverse = span / (range.high - low);
    if (!std::isfinite(inverse)) return best;
    Lanes q = splat(0), qq = splat(0), xq = splat(0);
    float chosen[32];
    for (int i = 0; i < 32; i += 4) {
      const Lanes v = loadLanes(values + i);
      const Lanes code = levels.nearest((v - splat(low)) * splat(inverse));
      const Lanes weighted = loadLanes(weights + i) * code;
      storeLanes(chosen + i, code);
      q += weighted;
      qq += weighted * code;
      xq += weighted * v;
    }
    const float qSum = sumOf(q), qqSum = sumOf(qq), xqSum = sumOf(xq);
    ScaleAndOffset fit{1 / inverse, low};
    if (k >= 0) {
      const float determinant = wSum * qqSum - qSum * qSum;
      if (!(determinant > 0)) continue;
      fit = {(wSum * xqSum - xSum * qSum) / determinant,
             (qqSum * xSum - qSum * xqSum) / determinant};
      if (fit.m > 0) fit = {xqSum / qqSum, 0};
    }
    Lanes lost = splat(0);
    for (int i = 0; i < 32; i += 4) {
      const Lanes off = splat(fit.d) * loadLanes(chosen + i) + splat(fit.m) - loadLanes(values + i);
      lost += loadLanes(weights + i) * off * off;
    }
    const float error = sumOf(lost);
    if (error < bestError) {
      bestError = error;
      best = fit;
      for (int i = 0; i < 32; ++i) codes[i] = static_cast<uint8_t>(chosen[i]);
    }
  }
  return best;
}

}  // namespace packed
