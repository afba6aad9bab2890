// Settings that only the `planes` family has: none yet.
#pragma once

#include <vector>

namespace stencil::schedule {

struct Setting;

struct PlanesSettings {
  friend bool operator==(const PlanesSettings&, const PlanesSettings&) = default;
};

// All settings of the family, in printing order.
std::vector<Setting> planes_settings();

}  // namespace stencil::schedule
