// Planes of fields, as values to draw.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/axes.h"
#include "compiler/reference/state.h"
#include "stencil/result.h"

namespace stencil::runtime {

// The failure R030 of all picture functions.
Failure no_image(const std::string& why);

// Range and kinds of values.
struct Census {
  double least = 0, greatest = 0;  // of finite values; 0 if there are none
  int64_t finite = 0, nans = 0, infinite = 0, minus_infinite = 0;
  void add(double value);
  void add(const Census& other);
};
Census census_of(const std::vector<double>& values);

// A plane of values, row-major.
struct Slice {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<double> values = {};
  // Positions of the field's points: down.at(r) for row r, across.at(c) for column c.
  ir::AxisValue down = {}, across = {};
  // Field points per row and column of the slice; each value is their mean.
  int64_t points_down = 1, points_across = 1;
  int64_t field_rows = 0, field_columns = 0;  // points in the plane
  Census census = {};                         // of the field's values in the plane
};

// The position of the first point of a plane spanned by the last two dimensions. `fixed` gives grid
// coordinates of the other dimensions, outermost first; missing ones default to the middle. R030
// for a coordinate outside the field, or a field without points.
Result<int64_t> plane_start(const reference::FieldData& field, const std::vector<int64_t>& fixed);

// The values of such a plane at a component's newest level. A field of rank 1 gives one row. `axes`
// are those of the grid's dimensions; if empty, positions equal indices. With several points per
// row or column (the last one may have fewer), a value is NaN or infinite if the mean is.
Result<Slice> slice_of(const reference::FieldData& field, int component,
                       const std::vector<int64_t>& fixed = {},
                       const std::vector<ir::AxisValue>& axes = {}, int64_t points_down = 1,
                       int64_t points_across = 1);

}  // namespace stencil::runtime
