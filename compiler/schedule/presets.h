// Kernels from the literature as schedules: "--schedule @vizitiu-2dshmreg". A preset is only a name
// for a line of settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/support/diagnostic.h"

namespace stencil::schedule {

struct Preset {
  std::string name;     // without the @
  std::string summary;  // one phrase
  std::string source;   // author, year and section
  // Schedule lines for grids of one, two, and three or more dimensions. Empty if the kernel makes
  // no sense at that rank.
  std::string lines[3];
};

// The presets of all families (Family::presets), in the order of the families.
std::vector<Preset> preset_table();

// The line that "@NAME" stands for in a grid of `rank` dimensions. nullopt on errors: L001 for an
// unknown name, L018 if the preset has no line for this rank.
std::optional<std::string> preset_line(const std::string& name, int rank, Diagnostics& diagnostics);

}  // namespace stencil::schedule
