// Images as the bytes of PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/picture/image.h"
#include "runtime/picture/palette.h"
#include "stencil/result.h"

namespace stencil::runtime {

// R030 if memory does not suffice for compression.
Result<std::string> encode_png(const Image& image);

// How long a frame is shown, in seconds: a fraction of numbers up to 65535.
struct Duration {
  int64_t numerator = 1, denominator = 15;
};

// An animated PNG is apng_begin(), then apng_frame() per frame, then apng_end(). All frames have
// the size and the palette of the file. The animation repeats for ever.
std::string apng_begin(int64_t width, int64_t height, int64_t frames, const Palette& palette);
// `numbers`: the colour of each pixel, row-major. Frames count from 0. R030, as for encode_png().
Result<std::string> apng_frame(const std::vector<uint8_t>& numbers, int64_t width, int64_t height,
                               int64_t frame, const Duration& duration);
std::string apng_end();

}  // namespace stencil::runtime
