// The colours of images of fields.
#pragma once

#include <array>
#include <cstdint>

namespace stencil::runtime {

using Colour = std::array<uint8_t, 3>;  // sRGB

// Dark violet at 0 over blue and green to light yellow at 1; clamped outside. Perceived lightness
// rises evenly, so equal steps of a value look equal, also in grey and to colour-blind eyes.
Colour colour_of(double fraction);

constexpr Colour kNanColour = {214, 39, 40};  // a red that the map does not contain

}  // namespace stencil::runtime
