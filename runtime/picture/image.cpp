// A point is a box of pixels of one colour.
#include "runtime/picture/image.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace stencil::runtime {
namespace {

constexpr int64_t kAutomaticSide = 512;  // pixels
constexpr int64_t kLongestStretched = 4096;
constexpr int64_t kMostPixels = int64_t{1} << 28;

// Number of pixels for `points` points of `scale` times `stretch` pixels each; nullopt on overflow.
std::optional<int64_t> side_of(int64_t points, int64_t scale, double stretch) {
  int64_t pixels = 0;
  if (__builtin_mul_overflow(points, scale, &pixels)) return std::nullopt;
  if (stretch == 1) return pixels;
  const int64_t most = std::max(kLongestStretched, pixels);
  return std::llround(std::min(static_cast<double>(pixels) * stretch, static_cast<double>(most)));
}

// Number of pixels (>= 1) of the point with this number.
int64_t pixels_of(int64_t point, int64_t points, int64_t pixels) {
  return (point + 1) * pixels / points - point * pixels / points;
}

}  // namespace

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
  Image image = paint(slice, ColourScale(low, high), *width, *height);
  if (options.flip) mirror(image);
  return image;
}

void mirror(Image& image) {
  const int64_t bytes = 3 * image.width;
  for (int64_t top = 0, bottom = image.height - 1; top < bottom; ++top, --bottom) {
    const auto row = [&](int64_t y) { return image.rgb.begin() + y * bytes; };
    std::swap_ranges(row(top), row(top) + bytes, row(bottom));
  }
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
