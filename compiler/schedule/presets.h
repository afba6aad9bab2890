// Kernels of the literature as schedules: "--schedule @vizitiu-2dshmreg". A preset is a name for a
// line of settings; nothing else knows of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/support/diagnostic.h"

namespace stencil::schedule {

struct Preset {
  std::string name;     // without the @
  std::string summary;  // in a phrase
  std::string source;   // author, year and section
  // Schedule lines for grids of one, two, and three or more dimensions; empty: such a kernel has
  // nothing to do there.
  std::string lines[3];
};

// By paper, in the order of their sections.
const std::vector<Preset>& preset_table();

// What "@NAME" stands for in a grid of `rank` dimensions. L001 for a name that the table lacks,
// L018 where the preset has no line for so few dimensions; nothing then.
std::optional<std::string> preset_line(const std::string& name, int rank, Diagnostics& diagnostics);

}  // namespace stencil::schedule
