// Planes of fields, as values to be drawn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/axes.h"
#include "compiler/reference/state.h"
#include "stencil/result.h"

namespace stencil::runtime {

// The failure of whatever makes a picture: R030.
Failure no_image(const std::string& why);

// What values there are.
struct Census {
  double least = 0, greatest = 0;  // of the finite ones; 0 if there are none
  int64_t finite = 0, nans = 0, infinite = 0, minus_infinite = 0;
  void add(double value);
};
Census census_of(const std::vector<double>& values);

// A plane of values, row-major.
struct Slice {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<double> values = {};
  // Where the field's points lie: in row r at down.at(r), in column c at across.at(c).
  ir::AxisValue down = {}, across = {};
  // Points of the field per row and per column of the slice; a value is the mean of theirs.
  int64_t points_down = 1, points_across = 1;
  int64_t field_rows = 0, field_columns = 0;  // points in the plane
  Census census = {};                         // of the field's values in the plane
};

// The position of the first point of a plane that the last two dimensions span. `fixed` gives the
// grid coordinates of the dimensions before them; where it is shorter, the middle is taken. R030
// for a coordinate outside the field or a field without points.
Result<int64_t> plane_start(const reference::FieldData& field, const std::vector<int64_t>& fixed);

// The values of such a plane of a component's newest level. A field of rank 1 is one row. `axes`
// are those of the grid's dimensions; none: every index lies at itself. With more than one point
// per row or column (the last may have fewer), a value is NaN or infinite where the mean is.
Result<Slice> slice_of(const reference::FieldData& field, int component,
                       const std::vector<int64_t>& fixed = {},
                       const std::vector<ir::AxisValue>& axes = {}, int64_t points_down = 1,
                       int64_t points_across = 1);

}  // namespace stencil::runtime
