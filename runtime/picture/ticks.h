// Axis marks and their labels.
#pragma once

#include <string>
#include <vector>

namespace stencil::runtime {

struct Tick {
  double value = 0;
  std::string label;
};

struct Ticks {
  std::vector<Tick> marks;  // ascending
  // The common part of all labels, for the axis name: "×10⁶", "+ 1000", "×10⁻³ + 1000"; usually "".
  // A value is its label times the power plus the offset.
  std::string common;
};

// At most `most` (>= 1) marks between low and high, at multiples of 1, 2 or 5 times a power of ten.
// `whole`: only integers, written out up to 10^7. One mark if low == high. Requires finite low <=
// high.
Ticks ticks_between(double low, double high, int most, bool whole = false);

// A number with at most `digits` digits, for titles: "0.3393", "1.5×10⁹", "−2".
std::string print_number(double value, int digits = 4);

}  // namespace stencil::runtime
