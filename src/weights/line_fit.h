// Whether numbers are others times a factor plus a term, as far as their rounding lets one say.
#pragma once

#include <cmath>

#include "weights/hypothesis.h"

namespace packed {

struct Line {
  double factor = 1;
  double term = 0;
};

// By how much a stored number may miss: relative to itself, and at least.
struct Rounding {
  double relative = 0;
  double absolute = 0;
};

// FITS when the number is exactly on the line, or so near that only rounding parts them while the
// line itself leads well past what rounding could do. Otherwise noise would pass for a constant,
// and so would a term that rounding loses.
inline Fit fitLine(Line line, Rounding rounding, double found, double right) {
  const double scaled = right * line.factor;
  const double wanted = scaled + line.term;
  const bool lost = line.term != 0 && wanted == right;
  if (found == wanted || (std::isnan(found) && std::isnan(right))) {
    return lost ? Fit::UNKNOWABLE : Fit::FITS;
  }
  const double slack =
      rounding.absolute + rounding.relative * (std::abs(scaled) + std::abs(line.term));
  if (!(std::abs(found - wanted) <= slack)) return Fit::MISFIT;
  return std::abs(wanted - right) > 4 * slack ? Fit::FITS : Fit::UNKNOWABLE;
}

// Of several numbers together: one that misses is enough.
inline Fit both(Fit one, Fit other) {
  if (one == Fit::MISFIT || other == Fit::MISFIT) return Fit::MISFIT;
  return one == Fit::FITS ? one : other;
}

}  // namespace packed
