// Settings that only the `overlapped` family has.
#pragma once

#include <vector>

namespace stencil::schedule {

struct Setting;

// The box of points that a time tile computes at each of its steps.
enum class Regions {
  Shrink,  // only what later steps need: the box shrinks from step to step
  Hull,    // the largest box at every step (Holewinski et al., section 4.2)
};

struct OverlappedSettings {
  Regions regions = Regions::Shrink;
  friend bool operator==(const OverlappedSettings&, const OverlappedSettings&) = default;
};

// All settings of the family, in printing order.
std::vector<Setting> overlapped_settings();

}  // namespace stencil::schedule
