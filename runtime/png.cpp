// A field becomes a plane of doubles, the plane an image, the image bytes (png_file.cpp), and the
// bytes a file: each stage is a value that a test can look at.
#include "runtime/png.h"

#include <algorithm>
#include <cmath>

#include "runtime/colour_map.h"

namespace stencil::runtime {
namespace {

constexpr int64_t kAutomaticSide = 512;  // pixels
constexpr int64_t kMostPixels = int64_t{1} << 28;

Failure no_image(const std::string& why) {
  return {"R030", "no image can be made: " + why, ""};
}

// Least and greatest finite value; 0 and 0 if there is none.
std::pair<double, double> finite_range(const std::vector<double>& values) {
  bool any = false;
  std::pair<double, double> range{0, 0};
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range.first = any ? std::min(range.first, value) : value;
    range.second = any ? std::max(range.second, value) : value;
    any = true;
  }
  return range;
}

// Where a value lies between low and high; the middle if they coincide. Halved, so that the
// distance of the largest doubles does not overflow.
double fraction_of(double value, double low, double high) {
  if (low == high) return value < low ? 0 : value > high ? 1 : 0.5;
  return (value / 2 - low / 2) / (high / 2 - low / 2);
}

}  // namespace

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
                       const std::vector<int64_t>& fixed) {
  const auto start = plane_start(field, fixed);
  if (!start.ok()) return start.failure();
  const int rank = field.rank();
  Slice slice{rank == 1 ? 1 : field.extents[rank - 2], field.extents[rank - 1], {}};
  slice.values.reserve(static_cast<size_t>(slice.rows * slice.columns));
  for (int64_t i = 0; i < slice.rows * slice.columns; ++i) {
    slice.values.push_back(field.real(0, component, start.value() + i));
  }
  return slice;
}

Result<Image> render(const Slice& slice, const ImageOptions& options) {
  const int64_t longer = std::max({slice.rows, slice.columns, int64_t{1}});
  const int64_t scale =
      options.scale > 0 ? options.scale : std::max<int64_t>(kAutomaticSide / longer, 1);
  Image image;
  int64_t pixels = 0;
  if (__builtin_mul_overflow(slice.columns, scale, &image.width) ||
      __builtin_mul_overflow(slice.rows, scale, &image.height) ||
      __builtin_mul_overflow(image.width, image.height, &pixels) || pixels > kMostPixels) {
    return no_image("it would have more than " + std::to_string(kMostPixels) + " pixels");
  }
  if (pixels == 0) return no_image("it would have no pixels");

  const auto [low, high] = options.range ? *options.range : finite_range(slice.values);
  image.rgb.reserve(static_cast<size_t>(3 * pixels));
  for (int64_t row = 0; row < slice.rows; ++row) {
    const size_t row_begin = image.rgb.size();
    for (int64_t column = 0; column < slice.columns; ++column) {
      const double value = slice.values[row * slice.columns + column];
      const Colour colour =
          std::isnan(value) ? kNanColour : colour_of(fraction_of(value, low, high));
      for (int64_t i = 0; i < scale; ++i) {
        image.rgb.insert(image.rgb.end(), colour.begin(), colour.end());
      }
    }
    const size_t row_size = image.rgb.size() - row_begin;
    for (int64_t i = 1; i < scale; ++i) {
      image.rgb.resize(image.rgb.size() + row_size);
      std::copy_n(image.rgb.begin() + row_begin, row_size, image.rgb.end() - row_size);
    }
  }
  return image;
}

}  // namespace stencil::runtime
