// Images: the values of a plane as colours.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/picture/colour_map.h"
#include "runtime/picture/slice.h"
#include "stencil/result.h"

namespace stencil::runtime {

struct ImageOptions {
  // Values of the first and last colour; default: the least and greatest finite value.
  std::optional<std::pair<double, double>> range = {};
  // render(): pixels per point, more in the direction of the wider spacing; 0: chosen so that the
  // longer side has at most 512 pixels.
  int scale = 0;
  bool plain = false;  // picture_of() (picture.h): without title, axes and colour bar
  bool flip = false;   // row 0 of a plane at the bottom, instead of on top
  bool cube = false;   // picture_of(): three faces of a field of rank 3 (figure_cube.h)
};

struct Image {
  int64_t width = 0;
  int64_t height = 0;
  std::vector<uint8_t> rgb;  // 3 bytes per pixel, row-major, top row first
};

// Draws the values as colours. NaN and infinities have their own colours. If the
// spacings differ, points are rectangles and the aspect ratio follows physical distances, but no
// side is stretched beyond 4096 pixels. R030 if the image would be too large. (Figures with axes:
// figure.h.)
Result<Image> render(const Slice& slice, const ImageOptions& options = {});

// Reverses the order of the rows.
void mirror(Image& image);

// The values at a given size, row 0 on top, at least one pixel per value in both directions.
Image paint(const Slice& slice, const ColourScale& scale, int64_t width, int64_t height);

}  // namespace stencil::runtime
