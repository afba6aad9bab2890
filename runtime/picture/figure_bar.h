// The colour bar of a figure.
#pragma once

#include <optional>
#include <utility>

#include "runtime/picture/figure_frame.h"
#include "runtime/picture/slice.h"

namespace stencil::runtime {

// Marks, and one box per integer, or none.
struct Bar {
  ColourScale scale;
  Ticks ticks;
  int64_t levels = 0;
  int64_t height = 0;
  // Colour position for a row of the bar; 0 is the lowest colour.
  double fraction(int64_t row) const;
  int64_t row_of(double value) const;
};

// The bar beside a data area of this height. `range`: values of the first and last colour; default:
// the least and greatest finite value of the census, or false and true for Bool.
Bar bar_of(const Census& census, const std::optional<std::pair<double, double>>& range, Scalar type,
           int64_t area_height);

// The space that a bar takes.
Beside beside_of(const Bar& bar);

// Draws the bar to the right of the frame's data area, which has this size.
void draw_bar(Canvas& canvas, const Bar& bar, const Frame& frame, int64_t width, int64_t height);

}  // namespace stencil::runtime
