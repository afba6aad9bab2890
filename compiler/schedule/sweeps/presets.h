// Presets of the `sweeps` family.
#pragma once

#include <vector>

#include "compiler/schedule/presets.h"

namespace stencil::schedule {

std::vector<Preset> presets_of_sweeps();

}  // namespace stencil::schedule
