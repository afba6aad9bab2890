// Images: the values of a plane in colours.
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

}  // namespace stencil::runtime
