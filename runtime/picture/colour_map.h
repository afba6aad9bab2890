// The colours of images of fields.
#pragma once

#include <array>
#include <cstdint>

namespace stencil::runtime {

using Colour = std::array<uint8_t, 3>;  // sRGB

// Dark violet at 0 over blue and green to light yellow at 1; clamped outside. Perceived lightness
// rises evenly, so equal steps of a value look equal, also in grey and to colour-blind eyes.
Colour colour_of(double fraction);

// Dark blue at -1 over near white at 0 to dark red at 1; clamped outside. Perceived lightness falls
// evenly and alike to both sides.
Colour diverging_colour_of(double fraction);

// Values without a place on a map: colours that neither map contains.
constexpr Colour kNanColour = {225, 0, 152};            // magenta
constexpr Colour kInfinityColour = {255, 122, 0};       // orange
constexpr Colour kMinusInfinityColour = {0, 205, 255};  // cyan

// The colours of values from `low` to `high`, 181 of them; values beyond have those of the ends.
// Where low == high values that equal both are in the middle. The diverging map is taken where zero
// is inside and the shorter side is at least a quarter of the longer one: its middle is zero, both
// sides have one scale, and the longer one reaches the end of the map.
class ColourScale {
 public:
  ColourScale(double low, double high);
  Colour of(double value) const;
  // Of the point that lies at this fraction of the way from low to high.
  Colour at(double fraction) const;
  // The inverse, clamped to 0..1. Not of NaN.
  double fraction_of(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }
  bool diverging() const { return diverging_; }

 private:
  double low_, high_;
  bool diverging_;
};

// How far `value` is on the way from low to high, low < high. Distances of the largest doubles do
// not overflow, those of the smallest are not lost.
double fraction_between(double low, double high, double value);

}  // namespace stencil::runtime
