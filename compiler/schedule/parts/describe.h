// What the comment at the top of an emitted file says.
#pragma once

#include <string>
#include <vector>

#include "compiler/analysis/time_tile.h"

namespace stencil::schedule {

// What a function reads, a field each with the hull of its offsets: "B@-1[0..0, 1..1]", "w[time-1]".
std::vector<std::string> describe_reads(const ir::Program& program, const ir::Function& function);
// The comment lines on fields and params that every module's header carries.
std::vector<std::string> describe(const ir::Program& program);
// One line per field level that a time tile needs: how far beyond the tile, per dimension.
std::vector<std::string> describe_halos(const ir::Program& program, const analysis::TimeTile& tile);

}  // namespace stencil::schedule
