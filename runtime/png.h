// Pictures of fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/axes.h"
#include "compiler/reference/state.h"
#include "runtime/colour_map.h"
#include "runtime/result.h"

namespace stencil::runtime {

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

struct ImageOptions {
  // Values of the first and the last colour; without: the least and greatest finite value.
  std::optional<std::pair<double, double>> range = {};
  // render(): pixels per point in each direction, in that of the wider spacing more; 0: as many as
  // bring the longer side to 512 or just under.
  int scale = 0;
  bool plain = false;  // picture_of() (picture.h): without title, axes and colour bar
};

struct Image {
  int64_t width = 0;
  int64_t height = 0;
  std::vector<uint8_t> rgb;  // 3 bytes per pixel, row-major, top row first
};

// The values in colours. Row 0 is on top. NaN and infinities have colours of their own. Where the
// spacings differ, a point is a rectangle and the sides of the image are in the proportion of the
// distances, except that no side grows beyond 4096 pixels by this. R030 if the image would be too
// large. (Figures with axes: figure.h.)
Result<Image> render(const Slice& slice, const ImageOptions& options = {});

// The same in so many pixels, at least one per value in both directions.
Image paint(const Slice& slice, const ColourScale& scale, int64_t width, int64_t height);

// The bytes of an 8-bit RGB PNG file. R030 if there is no memory to compress it.
Result<std::string> encode_png(const Image& image);
Status write_png(const std::string& path, const Image& image);

}  // namespace stencil::runtime
