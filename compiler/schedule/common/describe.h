// Texts for the comment at the top of an emitted file.
#pragma once

#include <string>
#include <vector>

#include "compiler/analysis/time_tile.h"

namespace stencil::schedule {

// The fields that a function reads, each with the hull of its offsets: "B@-1[0..0, 1..1]",
// "w[time-1]".
std::vector<std::string> describe_reads(const ir::Program& program, const ir::Function& function);
// Lines on the program, its fields and functions for the header of every module.
std::vector<std::string> describe(const ir::Program& program);
// One line per field level that a time tile reads: halo width per dimension.
std::vector<std::string> describe_halos(const ir::Program& program, const analysis::TimeTile& tile);

}  // namespace stencil::schedule
