// Animated GIF files, written frame by frame.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/picture/palette.h"

namespace stencil::runtime {

// A file is gif_begin(), then gif_frame() per frame, then gif_end(). All frames have the size and
// the palette of the file. The animation repeats for ever. Sizes are at most kLongestGifSide.
constexpr int64_t kLongestGifSide = 65535;
std::string gif_begin(int64_t width, int64_t height, const Palette& palette);
// `numbers`: the colour of each pixel, row-major. `hundredths`: how long the frame is shown, in
// 1/100 s.
std::string gif_frame(const std::vector<uint8_t>& numbers, int64_t width, int64_t height,
                      const Palette& palette, int64_t hundredths);
std::string gif_end();

}  // namespace stencil::runtime
