// Whether numbers are others times a factor plus a term, as far as their rounding lets one say.
#pragma once

#include <cmath>
#include <span>

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

// What numbers say of a line, all of them together: one that misses is enough.
class LineFit {
 public:
  LineFit(Line line, Rounding rounding) : line_(line), rounding_(rounding) {}

  // A number tells when it is exactly on the line, or so near that only rounding parts them while
  // the line itself leads well past what rounding could do. Otherwise noise would pass for a
  // constant, and so would a term that rounding loses. Without a branch: weights have many numbers.
  void add(double found, double right) {
    const double scaled = right * line_.factor;
    const double wanted = scaled + line_.term;
    const double slack =
        rounding_.absolute + rounding_.relative * (std::abs(scaled) + std::abs(line_.term));
    const bool lost = (line_.term != 0) & (wanted == right);
    const bool exact = (found == wanted) | ((found != found) & (right != right));
    // What is infinite has no neighbours.
    const bool near = (slack < INFINITY) & (std::abs(found - wanted) <= slack);
    const bool far = std::abs(wanted - right) > 4 * slack;
    misses_ |= !(exact | near);
    tells_ |= (exact & !lost) | (!exact & far);
  }

  Fit all() const { return misses_ ? Fit::MISFIT : tells_ ? Fit::FITS : Fit::UNKNOWABLE; }

 private:
  Line line_;
  Rounding rounding_;
  bool misses_ = false;
  bool tells_ = false;
};

// What all values say together; `found` and `right` are of one length.
Fit fitLine(Line line, Rounding rounding, std::span<const float> found,
            std::span<const float> right);

}  // namespace packed
