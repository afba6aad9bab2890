// A field becomes a plane of doubles, the plane an image, the image bytes (png_file.cpp), and the
// bytes a file: each stage is a value that a test can look at.
#include "runtime/png.h"

#include <algorithm>
#include <cmath>

#include "runtime/colour_map.h"

namespace stencil::runtime {
namespace {

constexpr int64_t kAutomaticSide = 512;  // pixels
constexpr int64_t kLongestStretched = 4096;
constexpr int64_t kMostPixels = int64_t{1} << 28;

Failure no_image(const std::string& why) {
  return {"R030", "no image can be made: " + why, ""};
}

// The pixels of a side of so many points, each as wide as `stretch` times `scale` of them. Nothing
// if it overflows.
std::optional<int64_t> side_of(int64_t points, int64_t scale, double stretch) {
  int64_t pixels = 0;
  if (__builtin_mul_overflow(points, scale, &pixels)) return std::nullopt;
  if (stretch == 1) return pixels;
  const int64_t most = std::max(kLongestStretched, pixels);
  return std::llround(std::min(static_cast<double>(pixels) * stretch, static_cast<double>(most)));
}

// How many pixels of a side the point with this number has; at least one.
int64_t pixels_of(int64_t point, int64_t points, int64_t pixels) {
  return (point + 1) * pixels / points - point * pixels / points;
}

}  // namespace

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
    return no_image("a plane of " + std::to_string(rank) + " dimensions is fixed by at most " +
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
  const auto start = plane_start(field, fixed);
  if (!start.ok()) return start.failure();
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
      const double value = field.real(0, component, start.value() + y * width + x);
      slice.census.add(value);
      const int64_t column = x / points_across;
      const int64_t across = std::min(points_across, width - column * points_across);
      if (down * across == 1) {
        values[column] = value;
      } else {  // divided one by one: the sum of large ones might overflow
        values[column] += value / static_cast<double>(down * across);
      }
    }
  }
  const auto from_first = [&](int d) {
    const ir::AxisValue axis = axes.empty() ? ir::AxisValue{} : axes[static_cast<size_t>(d)];
    return ir::AxisValue{axis.at(field.box[static_cast<size_t>(d)][0]), axis.spacing};
  };
  slice.across = from_first(rank - 1);
  slice.down = rank == 1 ? ir::AxisValue{0, slice.across.spacing} : from_first(rank - 2);
  return slice;
}

Result<Image> render(const Slice& slice, const ImageOptions& options) {
  const double finest = std::min(slice.across.spacing, slice.down.spacing);
  const double wider = slice.across.spacing / finest, higher = slice.down.spacing / finest;
  const double longer = std::max(
      {static_cast<double>(slice.rows) * higher, static_cast<double>(slice.columns) * wider, 1.0});
  const int64_t scale = options.scale > 0
                            ? options.scale
                            : std::max<int64_t>(static_cast<int64_t>(kAutomaticSide / longer), 1);
  const auto width = side_of(slice.columns, scale, wider);
  const auto height = side_of(slice.rows, scale, higher);
  int64_t pixels = 0;
  if (!width || !height || __builtin_mul_overflow(*width, *height, &pixels) ||
      pixels > kMostPixels) {
    return no_image("it would have more than " + std::to_string(kMostPixels) + " pixels");
  }
  if (pixels == 0) return no_image("it would have no pixels");
  const Census census = census_of(slice.values);
  const auto [low, high] = options.range.value_or(std::pair{census.least, census.greatest});
  return paint(slice, ColourScale(low, high), *width, *height);
}

Image paint(const Slice& slice, const ColourScale& scale, int64_t width, int64_t height) {
  Image image{width, height, {}};
  image.rgb.reserve(static_cast<size_t>(3 * width * height));
  for (int64_t row = 0; row < slice.rows; ++row) {
    const size_t row_begin = image.rgb.size();
    for (int64_t column = 0; column < slice.columns; ++column) {
      const Colour colour = scale.of(slice.values[row * slice.columns + column]);
      for (int64_t i = pixels_of(column, slice.columns, width); i > 0; --i) {
        image.rgb.insert(image.rgb.end(), colour.begin(), colour.end());
      }
    }
    const size_t row_size = image.rgb.size() - row_begin;
    for (int64_t i = pixels_of(row, slice.rows, height); i > 1; --i) {
      image.rgb.resize(image.rgb.size() + row_size);
      std::copy_n(image.rgb.begin() + row_begin, row_size, image.rgb.end() - row_size);
    }
  }
  return image;
}

}  // namespace stencil::runtime
