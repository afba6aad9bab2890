// Statistics of fields.
#pragma once

#include <cstdint>

#include "compiler/reference/state.h"

namespace stencil::runtime {

// Statistics of one component at its newest level. Only the counts include NaN.
struct Statistics {
  int64_t points = 0;
  int64_t nans = 0;
  double least = 0;
  double greatest = 0;
  double mean = 0;
  double l2 = 0;  // square root of the sum of squares

  bool any() const { return points > nans; }
};

Statistics statistics_of(const reference::FieldData& field, int component);

}  // namespace stencil::runtime
