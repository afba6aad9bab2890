// A perceptually uniform map is easiest to define in a perceptual colour space: here a path through
// OKLab (B. Ottosson, "A perceptual color space for image processing", 2020) in cylindrical form.
// Lightness is linear, hue turns from violet (300 degrees) to yellow (105 degrees), and chroma is
// reduced in the middle and at the ends to stay within sRGB. The diverging map consists of two such
// paths, each of constant hue, that meet near white.
#include "runtime/picture/colour_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stencil::runtime {
namespace {

// Number of colour steps: more than readers can distinguish, and few enough for a palette together
// with text.
constexpr double kSteps = 180;

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

Colour from_oklch(double lightness, double chroma, double degrees) {
  const double hue = degrees * std::numbers::pi / 180;
  return from_oklab(lightness, chroma * std::cos(hue), chroma * std::sin(hue));
}

}  // namespace

Colour colour_of(double fraction) {
  const double t = std::clamp(fraction, 0.0, 1.0);
  const double lightness = 0.24 + 0.68 * t;
  const double chroma = 0.10 - 0.025 * std::sin(std::numbers::pi * t) + 0.07 * t * t;
  return from_oklch(lightness, chroma, 300 - 195 * t);
}

Colour diverging_colour_of(double fraction) {
  const double t = std::min(std::abs(fraction), 1.0);
  const bool blue = fraction < 0;
  const double chroma = blue ? 0.27 * t - 0.16 * t * t : 0.36 * t - 0.23 * t * t;
  return from_oklch(0.97 - 0.61 * t, chroma, blue ? 256 : 27);
}

std::vector<Colour> colours_of_scales() {
  std::vector<Colour> colours = {kNanColour, kInfinityColour, kMinusInfinityColour};
  for (double step = 0; step <= kSteps; ++step) {
    colours.push_back(colour_of(step / kSteps));
    colours.push_back(diverging_colour_of((step - kSteps / 2) / kSteps * 2));
  }
  return colours;
}

ColourScale::ColourScale(double low, double high) : low_(low), high_(high) {
  diverging_ = low < 0 && high > 0 && std::min(-low, high) >= std::max(-low, high) / 4;
}

Colour ColourScale::of(double value) const {
  if (std::isnan(value)) return kNanColour;
  if (std::isinf(value)) return value > 0 ? kInfinityColour : kMinusInfinityColour;
  const auto rounded = [](double x) { return std::round(x * kSteps) / kSteps; };
  if (!diverging_) return colour_of(rounded(fraction_of(value)));
  const double way = std::clamp(value, low_, high_) / std::max(-low_, high_);
  return diverging_colour_of(rounded(way / 2) * 2);
}

Colour ColourScale::at(double fraction) const {
  if (low_ == high_) return colour_of(0.5);
  const long double span = static_cast<long double>(high_) - low_;
  return of(static_cast<double>(low_ + fraction * span));
}

double ColourScale::fraction_of(double value) const {
  if (low_ == high_) return value < low_ ? 0 : value > high_ ? 1 : 0.5;
  return std::clamp(fraction_between(low_, high_, value), 0.0, 1.0);
}

double fraction_between(double low, double high, double value) {
  const long double from = low;
  return static_cast<double>((value - from) / (high - from));
}

}  // namespace stencil::runtime
