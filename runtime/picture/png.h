// Images as the bytes of PNG files.
#pragma once

#include <string>

#include "runtime/picture/image.h"
#include "stencil/result.h"

namespace stencil::runtime {

// R030 if memory does not suffice for compression.
Result<std::string> encode_png(const Image& image);

}  // namespace stencil::runtime
