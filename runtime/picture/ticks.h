// Where the marks of an axis stand and what is written beside them.
#pragma once

#include <string>
#include <vector>

namespace stencil::runtime {

// One mark.
struct Tick {
  double value = 0;
  std::string label;
};

struct Ticks {
  std::vector<Tick> marks;  // ascending
  // What labels leave out, for the axis: "×10⁶", "+ 1000", "×10⁻³ + 1000"; "" as a rule. A value is
  // its label times the first plus the second.
  std::string common;
};

// At most `most` marks (one at least) between low and high at 1, 2 or 5 times a power of ten;
// `whole`: at integers, which are written out up to 10^7. low == high: one mark. Both must be
// finite, low <= high.
Ticks ticks_between(double low, double high, int most, bool whole = false);

// A number in at most so many digits, as titles have it: "0.3393", "1.5×10⁹", "−2".
std::string print_number(double value, int digits = 4);

}  // namespace stencil::runtime
