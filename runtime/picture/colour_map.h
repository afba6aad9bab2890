// Colours for images of fields.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace stencil::runtime {

using Colour = std::array<uint8_t, 3>;  // sRGB

// Dark violet at 0 over blue and green to light yellow at 1; clamped outside. Perceived lightness
// increases linearly, so equal steps of a value look equal, also in greyscale and for colour-blind
// readers.
Colour colour_of(double fraction);

// Dark blue at -1 over near white at 0 to dark red at 1; clamped outside. Perceived lightness
// decreases linearly and symmetrically.
Colour diverging_colour_of(double fraction);

// Colours for NaN and infinities, contained in neither map.
constexpr Colour kNanColour = {225, 0, 152};            // magenta
constexpr Colour kInfinityColour = {255, 122, 0};       // orange
constexpr Colour kMinusInfinityColour = {0, 205, 255};  // cyan

// All colours that a ColourScale can give.
std::vector<Colour> colours_of_scales();

// Maps values from `low` to `high` to 181 colours; values outside get the end colours. If low ==
// high, equal values get the middle colour. The diverging map is used if zero lies inside and the
// shorter side is at least a quarter of the longer one. Its centre is zero, both sides have the
// same scale, and the longer side reaches the end of the map.
class ColourScale {
 public:
  ColourScale(double low, double high);
  Colour of(double value) const;
  // The colour at this fraction of the range from low to high.
  Colour at(double fraction) const;
  // The position of a value in the range, clamped to 0..1. Not defined for NaN.
  double fraction_of(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }
  bool diverging() const { return diverging_; }

 private:
  double low_, high_;
  bool diverging_;
};

// Relative position of `value` between low and high, low < high. Does not overflow for the largest
// doubles nor lose the smallest.
double fraction_between(double low, double high, double value);

}  // namespace stencil::runtime
