#include "weights/line_fit.h"

namespace packed {

Fit fitLine(Line line, Rounding rounding, std::span<const float> found,
            std::span<const float> right) {
  LineFit fit(line, rounding);
  for (std::size_t i = 0; i < found.size(); ++i) {
    fit.add(static_cast<double>(found[i]), static_cast<double>(right[i]));
  }
  return fit.all();
}

}  // namespace packed
