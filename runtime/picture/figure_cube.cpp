// A pixel of the picture shows the point of a face that the projection maps to it. Lengths are in
// units of the finest spacing; a point is a box whose side is its spacing.
#include "runtime/picture/figure_cube.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compiler/support/try.h"
#include "runtime/picture/figure_bar.h"

namespace stencil::runtime {
namespace {

constexpr double kCubeSide = 560;                   // pixels of the longer side
constexpr double kCos30 = std::numbers::sqrt3 / 2;  // cos 30 degrees
constexpr int64_t kBorder = 22;                     // around the box, for names of axes

enum Dimension { Z, Y, X };

// Screen coordinates grow to the right and downwards, from the box's farthest upper corner:
//
//   across = (x - y) cos 30 + y extent      down = (x + y) / 2 + depth
class Projection {
 public:
  explicit Projection(const Cube& cube) : cube_(cube) {
    const double finest = *std::min_element(cube.spacing.begin(), cube.spacing.end());
    for (size_t d = 0; d < 3; ++d) {
      unit_[d] = cube.spacing[d] / finest;
      length_[d] = static_cast<double>(cube.points[d]) * unit_[d];
    }
    const double wide = (length_[X] + length_[Y]) * kCos30;
    const double high = (length_[X] + length_[Y]) / 2 + length_[Z];
    scale_ = kCubeSide / std::max(wide, high);
    width_ = static_cast<int64_t>(std::ceil(wide * scale_)) + 2 * kBorder;
    height_ = static_cast<int64_t>(std::ceil(high * scale_)) + 2 * kBorder;
  }

  int64_t width() const { return width_; }
  int64_t height() const { return height_; }

  // Pixels of a place; `depth` is measured from the top.
  std::array<double, 2> at(double x, double y, double depth) const {
    const double across = (x - y + length_[Y]) * kCos30, down = (x + y) / 2 + depth;
    return {across * scale_ + kBorder, down * scale_ + kBorder};
  }
  double length(Dimension d) const { return length_[d]; }

  // The value among those of faces_of() that the pixel shows; -1: none.
  int64_t shown_at(int64_t column, int64_t row) const {
    const double across =
        (static_cast<double>(column - kBorder) + 0.5) / scale_ / kCos30 - length_[Y];  // x - y
    const double down = (static_cast<double>(row - kBorder) + 0.5) / scale_;
    const double x = down + across / 2, y = down - across / 2;
    const auto [nz, ny, nx] = cube_.points;
    if (is_in(X, x) && is_in(Y, y)) return index(Y, y) * nx + index(X, x);
    const double left = down - (across + 2 * length_[Y]) / 2;
    if (is_in(X, across + length_[Y]) && is_in(Z, left)) {
      return ny * nx + plane(left) * nx + index(X, across + length_[Y]);
    }
    const double right = down - (2 * length_[X] - across) / 2;
    if (is_in(Y, length_[X] - across) && is_in(Z, right)) {
      return (ny + nz) * nx + plane(right) * ny + index(Y, length_[X] - across);
    }
    return -1;
  }

 private:
  bool is_in(Dimension d, double place) const { return place >= 0 && place < length_[d]; }
  int64_t index(Dimension d, double place) const {
    return std::clamp<int64_t>(static_cast<int64_t>(place / unit_[d]), 0, cube_.points[d] - 1);
  }
  int64_t plane(double depth) const {
    const int64_t from_top = index(Z, depth);
    return cube_.flip ? cube_.points[Z] - 1 - from_top : from_top;
  }

  const Cube& cube_;
  std::array<double, 3> unit_ = {}, length_ = {};
  double scale_ = 1;
  int64_t width_ = 0, height_ = 0;
};

Canvas painted(const Slice& faces, const Cube& cube, const Projection& projection,
               const ColourScale& scale) {
  Canvas canvas(projection.width(), projection.height(), kPaper);
  for (int64_t row = 0; row < canvas.height(); ++row) {
    for (int64_t column = 0; column < canvas.width(); ++column) {
      const int64_t shown = projection.shown_at(column, row);
      if (shown < 0) continue;
      canvas.fill(column, row, 1, 1, scale.of(faces.values[static_cast<size_t>(shown)]));
    }
  }
  const double x = projection.length(X), y = projection.length(Y), z = projection.length(Z);
  const auto at = [&](double across, double towards, double depth) {
    return projection.at(across, towards, depth);
  };
  canvas.path({at(0, 0, 0), at(x, 0, 0), at(x, y, 0), at(0, y, 0), at(0, 0, 0)}, 1, kInk);
  canvas.path({at(0, y, 0), at(0, y, z), at(x, y, z), at(x, 0, z), at(x, 0, 0)}, 1, kInk);
  canvas.path({at(x, y, 0), at(x, y, z)}, 1, kInk);
  const auto name = [&](const std::array<double, 2>& place, int64_t right,
                        const std::string& text) {
    canvas.text(std::llround(place[0]) + right, std::llround(place[1]) + kLabelSize, text,
                kLabelSize, kInk, Align::Middle);
  };
  name(at(x / 2, y, z), -8, cube.names[X]);
  name(at(x, y / 2, z), 8, cube.names[Y]);
  name(at(0, y, z / 2), -12, cube.names[Z]);
  return canvas;
}

}  // namespace

Status check_cube(const reference::FieldData& field) {
  if (field.rank() != 3) return no_image("view=cube shows fields of three dimensions");
  if (field.points == 0) return no_image("the field has no points");
  return Done{};
}

Result<Slice> faces_of(const reference::FieldData& field, int component, const Cube& cube) {
  TRY(check_cube(field));
  const auto [nz, ny, nx] = cube.points;
  Slice faces{.rows = 1, .columns = ny * nx + nz * nx + nz * ny};
  const auto add = [&](int64_t z, int64_t y, int64_t x) {
    faces.values.push_back(field.real(0, component, (z * ny + y) * nx + x));
    faces.census.add(faces.values.back());
  };
  const int64_t top = cube.flip ? nz - 1 : 0;
  for (int64_t y = 0; y < ny; ++y) {
    for (int64_t x = 0; x < nx; ++x) add(top, y, x);
  }
  for (int64_t z = 0; z < nz; ++z) {
    for (int64_t x = 0; x < nx; ++x) add(z, ny - 1, x);
  }
  for (int64_t z = 0; z < nz; ++z) {
    for (int64_t y = 0; y < ny; ++y) add(z, y, nx - 1);
  }
  return faces;
}

Figure draw_cube(const Slice& faces, const Cube& cube, const Labels& labels,
                 const std::optional<std::pair<double, double>>& range, bool plain) {
  const Projection projection(cube);
  const Bar bar = bar_of(faces.census, range, labels.type, projection.height() - 2 * kBorder);
  Image data = painted(faces, cube, projection, bar.scale).take();
  const int64_t width = data.width, height = data.height;
  if (plain) return {std::move(data), 0, 0, width, height};
  const bool coloured = faces.census.finite > 0 || range;
  const Frame frame(labels, faces.census, {}, {}, width, height,
                    coloured ? beside_of(bar) : Beside{});
  const auto none = [](double) { return int64_t{0}; };
  Canvas canvas = frame.draw(none, none, false);
  canvas.frame(frame.x(), frame.y(), width, height, kPaper);
  canvas.copy(frame.x(), frame.y(), data);
  if (coloured) draw_bar(canvas, bar, frame, width, height);
  return {canvas.take(), frame.x(), frame.y(), width, height};
}

}  // namespace stencil::runtime
