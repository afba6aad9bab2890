// A perceptually uniform map is easiest to state in a perceptual colour space: here a path through
// OKLab (B. Ottosson, "A perceptual color space for image processing", 2020) in its cylindrical
// form. Lightness runs on a straight line, hue turns from violet (300 degrees) to yellow (105
// degrees), and chroma is bent in the middle and at the ends to stay inside what sRGB can show.
#include "runtime/colour_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stencil::runtime {
namespace {

uint8_t encode(double linear) {
  const double clamped = std::clamp(linear, 0.0, 1.0);
  const double encoded =
      clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * std::pow(clamped, 1 / 2.4) - 0.055;
  return static_cast<uint8_t>(std::lround(255 * encoded));
}

Colour from_oklab(double lightness, double a, double b) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

Colour colour_of(double fraction) {
  const double t = std::clamp(fraction, 0.0, 1.0);
  const double lightness = 0.24 + 0.68 * t;
  const double hue = (300 - 195 * t) * std::numbers::pi / 180;
  const double chroma = 0.10 - 0.025 * std::sin(std::numbers::pi * t) + 0.07 * t * t;
  return from_oklab(lightness, chroma * std::cos(hue), chroma * std::sin(hue));
}

}  // namespace stencil::runtime
