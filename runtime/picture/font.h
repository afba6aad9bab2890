// Text as pixels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stencil::runtime {

// How much of each pixel a line of text covers, 0 to 255, row-major, top row first. The pen starts
// at the left edge, on the lower edge of row `baseline`.
struct TextPixels {
  int width = 0;
  int height = 0;
  int baseline = 0;
  std::vector<uint8_t> cover;
};

// A line of UTF-8 in letters of a size in pixels: the same pixels on every machine. All lines of a
// size have the same height and baseline. The width is that of the pen's way, rounded up.
TextPixels text_pixels(const std::string& text, int size);
int text_width(const std::string& text, int size);

}  // namespace stencil::runtime
