// Drawing on an image.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "runtime/picture/colour_map.h"
#include "runtime/picture/image.h"

namespace stencil::runtime {

enum class Align { Begin, Middle, End };

// Clips at the edges of the image.
class Canvas {
 public:
  Canvas(int64_t width, int64_t height, const Colour& background);

  // Pixels x to x + width - 1 and y to y + height - 1.
  void fill(int64_t x, int64_t y, int64_t width, int64_t height, const Colour& colour);
  // Draws the pixels that surround this rectangle, one pixel wide.
  void frame(int64_t x, int64_t y, int64_t width, int64_t height, const Colour& colour);
  // Mixes a colour into a pixel: `cover` 0 keeps the pixel, 1 replaces it.
  void blend(int64_t x, int64_t y, double cover, const Colour& colour);
  // An antialiased line through points in pixels, with (0, 0) at the corner of the image. A single
  // point gives a disc.
  void path(const std::vector<std::array<double, 2>>& points, double width, const Colour& colour);
  // Text from x on, centred at x, or ending at x; the baseline is the lower edge of row y.
  void text(int64_t x, int64_t y, const std::string& text, int size, const Colour& colour,
            Align align = Align::Begin);
  // Vertical text, reading upwards, centred at row y; the baseline is the right edge of column x.
  void text_upwards(int64_t x, int64_t y, const std::string& text, int size, const Colour& colour);
  void copy(int64_t x, int64_t y, const Image& image);

  int64_t width() const { return image_.width; }
  int64_t height() const { return image_.height; }
  Image take() { return std::move(image_); }

 private:
  Image image_;
};

}  // namespace stencil::runtime
