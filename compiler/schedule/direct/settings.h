// Settings that only the `direct` family has: none yet.
#pragma once

#include <vector>

namespace stencil::schedule {

struct Setting;

struct DirectSettings {
  friend bool operator==(const DirectSettings&, const DirectSettings&) = default;
};

// All settings of the family, in printing order.
std::vector<Setting> direct_settings();

}  // namespace stencil::schedule
