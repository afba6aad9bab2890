// Rasterised text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stencil::runtime {

// Coverage of each pixel by a line of text, 0 to 255, row-major, top row first. The pen starts at
// the left edge, at the lower edge of row `baseline`.
struct TextPixels {
  int width = 0;
  int height = 0;
  int baseline = 0;
  std::vector<uint8_t> cover;
};

// Rasterises a line of UTF-8 at a font size in pixels, identically on every machine. Height and
// baseline depend only on the size. The width is the pen's total advance, rounded up.
TextPixels text_pixels(const std::string& text, int size);
int text_width(const std::string& text, int size);

}  // namespace stencil::runtime
