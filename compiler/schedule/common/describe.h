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
// One line per field that the time tiles read: halo width per dimension. Fields that are levels of
// one field share a line if their halos are the same.
std::vector<std::string> describe_halos(const ir::Program& program,
                                        const std::vector<const analysis::TimeTile*>& tiles);

}  // namespace stencil::schedule
