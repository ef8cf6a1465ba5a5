#include "weights/line_fit.h"

#include <doctest/doctest.h>

#include <limits>

using namespace packed;

TEST_CASE("line fit: what is on the line, near it, beside it or no number") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Line tripled{3, 0}, raised{1, 0.5};
  const Rounding rounding{0x1p-10, 0};
  const struct {
    Line line;
    double found, right;
    Fit fit;
  } cases[] = {
      {tripled, 6, 2, Fit::FITS},
      {tripled, 6.001, 2, Fit::FITS},
      {tripled, 6.1, 2, Fit::MISFIT},
      {tripled, 0, 0, Fit::FITS},
      {tripled, nan, nan, Fit::FITS},
      {tripled, nan, 2, Fit::MISFIT},
      {tripled, 6, nan, Fit::MISFIT},
      {tripled, infinity, infinity, Fit::FITS},
      {tripled, 6, infinity, Fit::MISFIT},
      {tripled, -infinity, infinity, Fit::MISFIT},
      {tripled, infinity, 2, Fit::MISFIT},
      {raised, 1.5, 1, Fit::FITS},
      {raised, 1, 1, Fit::MISFIT},
      // So large that the term is lost, or might be.
      {raised, 0x1p60, 0x1p60, Fit::UNKNOWABLE},
      {raised, 1024.25, 1024, Fit::UNKNOWABLE},
  };
  for (const auto& [line, found, right, wanted] : cases) {
    LineFit fit(line, rounding);
    CHECK(fit.all() == Fit::UNKNOWABLE);
    fit.add(found, right);
    CHECK_MESSAGE(fit.all() == wanted, found, " of ", right);
    fit.add(6, 2);
    const bool onTripled = line.factor == 3;
    if (onTripled) CHECK(fit.all() == (wanted == Fit::MISFIT ? Fit::MISFIT : Fit::FITS));
    if (!onTripled) CHECK(fit.all() == Fit::MISFIT);
  }
}
