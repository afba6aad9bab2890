// Images as the bytes of PNG files.
#pragma once

#include <string>

#include "runtime/picture/image.h"
#include "stencil/result.h"

namespace stencil::runtime {

// The bytes of an 8-bit RGB PNG file. R030 if there is no memory to compress it.
Result<std::string> encode_png(const Image& image);

}  // namespace stencil::runtime
