#include "encoding/scale_search.h"

#include <algorithm>

#include "encoding/block_parts.h"

namespace packed {
namespace {

struct Ones {
  float weights[kMaxBlockElements];
  constexpr Ones() : weights() {
    for (float& weight : weights) weight = 1;
  }
};
constexpr Ones kOnes;

// Sums over a group that the closed form of the best scale and minimum needs.
struct AffineSums {
  float w, x, xx;   // fixed by the values
  float q, qq, xq;  // of the codes tried

  // Minimizes sum w (x - (s q - m))^2 over s and m >= 0; returns the error.
  float solve(AffineFit& fit) const {
    const double determinant = double(w) * qq - double(q) * q;
    double scale = 0;
    double offset = 0;
    if (determinant > 0) {
      scale = (double(w) * xq - double(x) * q) / determinant;
      offset = (double(qq) * x - double(q) * xq) / determinant;
    }
    if (determinant <= 0 || offset > 0) {
      offset = 0;
      scale = qq > 0 ? double(xq) / qq : 0;
    }
    fit = {static_cast<float>(scale), static_cast<float>(-offset)};
    return static_cast<float>(xx - 2 * scale * xq - 2 * offset * x + scale * scale * qq +
                              2 * scale * offset * q + offset * offset * w);
  }
};

}  // namespace

const float* weightsOf(const float* importance, int count) {
  if (importance == nullptr || largestMagnitude(importance, count) < 1e-12f) return kOnes.weights;
  return importance;
}

AffineFit fitAffine(const float* values, const float* weights, int count, float maxCode) {
  constexpr int kSteps = 20;
  const Range range = rangeOf(values, count);
  const float low = std::min(range.low, 0.0f);
  if (range.high <= low) return {0, -low};

  AffineSums sums{};
  Lanes w = splat(0), x = splat(0), xx = splat(0);
  for (int i = 0; i < count; i += 4) {
    const Lanes v = loadLanes(values + i);
    const Lanes weight = loadLanes(weights + i);
    w += weight;
    x += weight * v;
    xx += weight * v * v;
  }
  sums.w = sumOf(w);
  sums.x = sumOf(x);
  sums.xx = sumOf(xx);

  const EvenLevels codes{0, maxCode};
  const Lanes base = splat(low);
  AffineFit best;
  float bestError = sums.xx;
  for (int step = 0; step < kSteps; ++step) {
    // From a range that clips nothing and leaves a code unused, to one that clips both ends.
    const float span = maxCode * (0.7f + 0.03f * static_cast<float>(step));
    const Lanes inverse = splat(span * reciprocal(range.high - low));
    const Lanes start = base + splat((span - maxCode) * 0.5f) / inverse;
    Lanes q = splat(0), qq = splat(0), xq = splat(0);
    for (int i = 0; i < count; i += 4) {
      const Lanes v = loadLanes(values + i);
      const Lanes code = codes.nearest((v - start) * inverse);
      const Lanes weighted = loadLanes(weights + i) * code;
      q += weighted;
      qq += weighted * code;
      xq += weighted * v;
    }
    sums.q = sumOf(q);
    sums.qq = sumOf(qq);
    sums.xq = sumOf(xq);
    AffineFit fit;
    const float error = sums.solve(fit);
    if (error < bestError) {
      bestError = error;
      best = fit;
    }
  }
  return best;
}

float affineErrorOf(const float* values, const float* weights, int count, float maxCode,
                    AffineFit fit) {
  const EvenLevels codes{0, maxCode};
  const Lanes inverse = splat(reciprocal(fit.scale));
  const Lanes scale = splat(fit.scale);
  const Lanes minimum = splat(fit.minimum);
  Lanes sum = splat(0);
  for (int i = 0; i < count; i += 4) {
    const Lanes v = loadLanes(values + i);
    const Lanes code = codes.nearest((v + minimum) * inverse);
    const Lanes off = v - (scale * code - minimum);
    sum += loadLanes(weights + i) * off * off;
  }
  return sumOf(sum);
}

}  // namespace packed
