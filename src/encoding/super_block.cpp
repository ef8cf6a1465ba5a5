#include "encoding/super_block.h"

namespace packed {
namespace detail {

float scaleError(const ScaleFit* fits, int groups, int low, int high, float d) {
  const float inverse = reciprocal(d);
  float sum = 0;
  for (int g = 0; g < groups; ++g) {
    const float integer =
        std::clamp(std::nearbyint(fits[g].scale * inverse), float(low), float(high));
    const float off = fits[g].scale - d * integer;
    sum += fits[g].weight * off * off;
  }
  return sum;
}

float bestStep(const ScaleFit* fits, int groups, int low, int high) {
  float extreme = 0;
  for (int g = 0; g < groups; ++g) {
    if (std::fabs(fits[g].scale) > std::fabs(extreme)) extreme = fits[g].scale;
  }
  float best = 0;
  float bestError = INFINITY;
  for (const int end : {low, high}) {
    for (int back = 0; back < 6; ++back) {
      const float d = extreme / static_cast<float>(end < 0 ? end + back : end - back);
      const float error = scaleError(fits, groups, low, high, d);
      if (error < bestError) {
        bestError = error;
        best = d;
      }
    }
  }
  return best;
}

}  // namespace detail

namespace {

// The stored scale and minimum of one group, and what is tried around them.
struct Choice {
  int scale;
  int minimum;
};

int nearestInteger(float value, int high) {
  return static_cast<int>(std::clamp(std::nearbyint(value), 0.0f, static_cast<float>(high)));
}

float storedAs(float d) { return halfToFloat(floatToHalf(d)); }

// Subnormal or zero: of few bits, so that what is nearest may be worse than zeros.
bool isCoarse(float stored) { return stored < 0x1p-14f; }

Choice improve(const float* values, const float* weights, int group, float maxCode, int maxScale,
               float d, float dmin, Choice start) {
  Choice best = start;
  float bestError = INFINITY;
  if (isCoarse(d) || isCoarse(dmin)) {
    best = {0, 0};
    bestError = affineErrorOf(values, weights, group, maxCode, {});
  }
  for (int scale = std::max(start.scale - 1, 0); scale <= std::min(start.scale + 1, maxScale);
       ++scale) {
    for (int minimum = std::max(start.minimum - 1, 0);
         minimum <= std::min(start.minimum + 1, maxScale); ++minimum) {
      const AffineFit fit{d * static_cast<float>(scale), dmin * static_cast<float>(minimum)};
      const float error = affineErrorOf(values, weights, group, maxCode, fit);
      if (error < bestError) {
        bestError = error;
        best = {scale, minimum};
      }
    }
  }
  return best;
}

}  // namespace

AffineBlock fitAffineBlock(const float* values, const float* weights, int group, float maxCode,
                           int maxScale) {
  AffineBlock block;
  const int groups = 256 / group;
  AffineFit fits[16];
  float largestScale = 0;
  float largestMinimum = 0;
  for (int g = 0; g < groups; ++g) {
    fits[g] = fitAffine(values + g * group, weights + g * group, group, maxCode);
    largestScale = std::max(largestScale, fits[g].scale);
    largestMinimum = std::max(largestMinimum, fits[g].minimum);
  }
  float d = largestScale / static_cast<float>(maxScale);
  float dmin = largestMinimum / static_cast<float>(maxScale);
  const float scaleInverse = reciprocal(storedAs(d));
  const float minimumInverse = reciprocal(storedAs(dmin));
  for (int g = 0; g < groups; ++g) {
    block.scales[g] = nearestInteger(fits[g].scale * scaleInverse, maxScale);
    block.mins[g] = nearestInteger(fits[g].minimum * minimumInverse, maxScale);
  }
  for (int round = 0; round < 2; ++round) {
    block.d = floatToHalf(d);
    block.dmin = floatToHalf(dmin);
    const float storedD = halfToFloat(block.d);
    const float storedDmin = halfToFloat(block.dmin);
    // Sums of the joint fit of d and dmin: x = d * a - dmin * b with a = scale * code, b = minimum.
    Lanes aa = splat(0), xa = splat(0), ab = splat(0), bb = splat(0), xb = splat(0);
    for (int g = 0; g < groups; ++g) {
      const float* x = values + g * group;
      const float* w = weights + g * group;
      const Choice choice = improve(x, w, group, maxCode, maxScale, storedD, storedDmin,
                                    {block.scales[g], block.mins[g]});
      block.scales[g] = choice.scale;
      block.mins[g] = choice.minimum;
      const Lanes integer = splat(static_cast<float>(choice.scale));
      const Lanes b = splat(static_cast<float>(choice.minimum));
      const Lanes minimum = splat(storedDmin) * b;
      const Lanes inverse = splat(reciprocal(storedD * static_cast<float>(choice.scale)));
      const EvenLevels codes{0, maxCode};
      for (int i = 0; i < group; i += 4) {
        const Lanes v = loadLanes(x + i);
        const Lanes code = codes.nearest((v + minimum) * inverse);
        storeLanes(block.codes + g * group + i, code);
        const Lanes a = integer * code;
        const Lanes wa = loadLanes(w + i) * a;
        const Lanes wb = loadLanes(w + i) * b;
        aa += wa * a;
        xa += wa * v;
        ab += wa * b;
        bb += wb * b;
        xb += wb * v;
      }
    }
    const double A = sumOf(aa), B = sumOf(bb), C = sumOf(ab), XA = sumOf(xa), XB = sumOf(xb);
    const double determinant = A * B - C * C;
    if (determinant > 1e-6 * A * B) {
      d = static_cast<float>((XA * B - XB * C) / determinant);
      dmin = static_cast<float>((XA * C - XB * A) / determinant);
    } else if (A > 0) {
      d = static_cast<float>((XA + dmin * C) / A);
    }
    if (!(d > 0) || dmin < 0) break;
  }
  return block;
}

}  // namespace packed
