// Sums use long double, so that squares of large doubles do not overflow and rounding does not
// absorb the last of millions of values.
#include "runtime/run/stats.h"

#include <algorithm>
#include <cmath>

namespace stencil::runtime {

Statistics statistics_of(const reference::FieldData& field, int component) {
  Statistics result;
  result.points = field.points;
  long double sum = 0;
  long double squares = 0;
  for (int64_t i = 0; i < field.points; ++i) {
    const double value = field.real(0, component, i);
    if (std::isnan(value)) {
      ++result.nans;
      continue;
    }
    const bool first = i == result.nans;
    result.least = first ? value : std::min(result.least, value);
    result.greatest = first ? value : std::max(result.greatest, value);
    sum += value;
    squares += static_cast<long double>(value) * value;
  }
  if (!result.any()) return result;
  result.mean = static_cast<double>(sum / static_cast<long double>(result.points - result.nans));
  result.l2 = static_cast<double>(std::sqrt(squares));
  return result;
}

}  // namespace stencil::runtime
