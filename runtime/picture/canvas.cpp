// Pixels are mixed directly in sRGB, which keeps dark letters on white readable.
#include "runtime/picture/canvas.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "runtime/picture/font.h"

namespace stencil::runtime {
namespace {

constexpr double kCovers = 16;  // coverage levels; few enough for a palette

uint8_t mix(uint8_t under, uint8_t over, double cover) {
  return static_cast<uint8_t>(std::lround(under + (over - under) * cover));
}

// The distance of a point from a segment.
double distance(double x, double y, double x0, double y0, double x1, double y1) {
  const double dx = x1 - x0, dy = y1 - y0, squared = dx * dx + dy * dy;
  double along = squared > 0 ? ((x - x0) * dx + (y - y0) * dy) / squared : 0;
  along = std::clamp(along, 0.0, 1.0);
  return std::hypot(x - x0 - along * dx, y - y0 - along * dy);
}

}  // namespace

Canvas::Canvas(int64_t width, int64_t height, const Colour& background) {
  image_.width = width;
  image_.height = height;
  image_.rgb.resize(static_cast<size_t>(3 * width * height));
  fill(0, 0, width, height, background);
}

void Canvas::fill(int64_t x, int64_t y, int64_t width, int64_t height, const Colour& colour) {
  const int64_t right = std::min(x + width, image_.width);
  const int64_t bottom = std::min(y + height, image_.height);
  x = std::max<int64_t>(x, 0);
  for (int64_t row = std::max<int64_t>(y, 0); row < bottom; ++row) {
    for (int64_t column = x; column < right; ++column) {
      std::copy(colour.begin(), colour.end(),
                image_.rgb.begin() + 3 * (row * image_.width + column));
    }
  }
}

void Canvas::frame(int64_t x, int64_t y, int64_t width, int64_t height, const Colour& colour) {
  fill(x - 1, y - 1, width + 2, 1, colour);
  fill(x - 1, y + height, width + 2, 1, colour);
  fill(x - 1, y, 1, height, colour);
  fill(x + width, y, 1, height, colour);
}

void Canvas::blend(int64_t x, int64_t y, double cover, const Colour& colour) {
  if (x < 0 || y < 0 || x >= image_.width || y >= image_.height || cover <= 0) return;
  uint8_t* pixel = image_.rgb.data() + 3 * (y * image_.width + x);
  const double rounded = std::round(std::min(cover, 1.0) * kCovers) / kCovers;
  for (size_t c = 0; c < 3; ++c) pixel[c] = mix(pixel[c], colour[c], rounded);
}

// The segment with the highest coverage determines a pixel, so joints are not darker.
void Canvas::path(const std::vector<std::array<double, 2>>& points, double width,
                  const Colour& colour) {
  std::map<std::pair<int64_t, int64_t>, double> covers;  // by row and column
  const double reach = width / 2 + 1;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto& [x0, y0] = points[i];
    if (i + 1 == points.size() && i > 0) break;
    const auto& [x1, y1] = points[std::min(i + 1, points.size() - 1)];
    const auto first_x = static_cast<int64_t>(std::floor(std::min(x0, x1) - reach));
    const auto last_x = static_cast<int64_t>(std::ceil(std::max(x0, x1) + reach));
    const auto first_y = static_cast<int64_t>(std::floor(std::min(y0, y1) - reach));
    const auto last_y = static_cast<int64_t>(std::ceil(std::max(y0, y1) + reach));
    for (int64_t y = first_y; y <= last_y; ++y) {
      for (int64_t x = first_x; x <= last_x; ++x) {
        const double apart =
            distance(static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5, x0, y0, x1, y1);
        const double cover = width / 2 + 0.5 - apart;
        if (cover <= 0) continue;
        double& most = covers[{y, x}];
        most = std::max(most, cover);
      }
    }
  }
  for (const auto& [at, cover] : covers) blend(at.second, at.first, cover, colour);
}

void Canvas::text(int64_t x, int64_t y, const std::string& text, int size, const Colour& colour,
                  Align align) {
  const TextPixels pixels = text_pixels(text, size);
  const int64_t left = align == Align::Begin    ? x
                       : align == Align::Middle ? x - pixels.width / 2
                                                : x - pixels.width;
  for (int row = 0; row < pixels.height; ++row) {
    for (int column = 0; column < pixels.width; ++column) {
      const uint8_t cover = pixels.cover[row * pixels.width + column];
      blend(left + column, y + 1 - pixels.baseline + row, cover / 255.0, colour);
    }
  }
}

void Canvas::text_upwards(int64_t x, int64_t y, const std::string& text, int size,
                          const Colour& colour) {
  const TextPixels pixels = text_pixels(text, size);
  for (int row = 0; row < pixels.height; ++row) {
    for (int column = 0; column < pixels.width; ++column) {
      const uint8_t cover = pixels.cover[row * pixels.width + column];
      blend(x + 1 - pixels.baseline + row, y + pixels.width / 2 - column, cover / 255.0, colour);
    }
  }
}

void Canvas::copy(int64_t x, int64_t y, const Image& image) {
  for (int64_t row = 0; row < image.height; ++row) {
    std::copy_n(image.rgb.begin() + 3 * row * image.width, 3 * image.width,
                image_.rgb.begin() + 3 * ((y + row) * image_.width + x));
  }
}

}  // namespace stencil::runtime
