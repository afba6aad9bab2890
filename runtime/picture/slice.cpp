// A field becomes a plane of doubles, then an image (image.cpp), then the bytes of a file
// (png.cpp). Tests can check each stage.
#include "runtime/picture/slice.h"

#include <algorithm>
#include <cmath>

#include "compiler/support/try.h"

namespace stencil::runtime {

Failure no_image(const std::string& why) {
  return {"R030", "no image can be made: " + why, ""};
}

void Census::add(double value) {
  if (std::isnan(value)) {
    ++nans;
  } else if (std::isinf(value)) {
    ++(value > 0 ? infinite : minus_infinite);
  } else {
    least = finite == 0 ? value : std::min(least, value);
    greatest = finite == 0 ? value : std::max(greatest, value);
    ++finite;
  }
}

void Census::add(const Census& other) {
  if (other.finite > 0) {
    least = finite == 0 ? other.least : std::min(least, other.least);
    greatest = finite == 0 ? other.greatest : std::max(greatest, other.greatest);
  }
  finite += other.finite;
  nans += other.nans;
  infinite += other.infinite;
  minus_infinite += other.minus_infinite;
}

Census census_of(const std::vector<double>& values) {
  Census census;
  for (const double value : values) census.add(value);
  return census;
}

Result<int64_t> plane_start(const reference::FieldData& field, const std::vector<int64_t>& fixed) {
  if (field.points == 0) return no_image("the field has no points");
  const int rank = field.rank();
  const int outer = std::max(rank - 2, 0);
  if (static_cast<int>(fixed.size()) > outer) {
    return no_image("in " + std::to_string(rank) + " dimensions, a plane is selected by at most " +
                    std::to_string(outer) + " coordinates");
  }
  std::vector<int64_t> corner;
  for (int d = 0; d < rank; ++d) {
    const auto& [low, high] = field.box[d];
    int64_t coordinate = d < outer ? low + (high - low) / 2 : low;
    if (d < static_cast<int>(fixed.size())) coordinate = fixed[d];
    if (coordinate < low || coordinate > high) {
      return no_image("coordinate " + std::to_string(coordinate) + " of dimension " +
                      std::to_string(d) + " is outside " + std::to_string(low) + ".." +
                      std::to_string(high));
    }
    corner.push_back(coordinate);
  }
  return field.position(corner);
}

Result<Slice> slice_of(const reference::FieldData& field, int component,
                       const std::vector<int64_t>& fixed, const std::vector<ir::AxisValue>& axes,
                       int64_t points_down, int64_t points_across) {
  const auto start = TRY(plane_start(field, fixed));
  const int rank = field.rank();
  const int64_t height = rank == 1 ? 1 : field.extents[rank - 2], width = field.extents[rank - 1];
  Slice slice{.rows = (height + points_down - 1) / points_down,
              .columns = (width + points_across - 1) / points_across,
              .points_down = points_down,
              .points_across = points_across,
              .field_rows = height,
              .field_columns = width};
  slice.values.resize(static_cast<size_t>(slice.rows * slice.columns));
  for (int64_t y = 0; y < height; ++y) {
    const int64_t row = y / points_down;
    const int64_t down = std::min(points_down, height - row * points_down);
    double* const values = slice.values.data() + row * slice.columns;
    for (int64_t x = 0; x < width; ++x) {
      const double value = field.real(0, component, start + y * width + x);
      slice.census.add(value);
      const int64_t column = x / points_across;
      const int64_t across = std::min(points_across, width - column * points_across);
      if (down * across == 1) {
        values[column] = value;
      } else {  // divide before adding: a sum of large values might overflow
        values[column] += value / static_cast<double>(down * across);
      }
    }
  }
  const auto from_first = [&](int d) {
    const ir::AxisValue axis = axes.empty() ? ir::AxisValue{} : axes[d];
    return ir::AxisValue{axis.at(field.box[d][0]), axis.spacing};
  };
  slice.across = from_first(rank - 1);
  slice.down = rank == 1 ? ir::AxisValue{0, slice.across.spacing} : from_first(rank - 2);
  return slice;
}

}  // namespace stencil::runtime
