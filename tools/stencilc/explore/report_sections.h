// The parts of the page that do not need JavaScript.
#pragma once

#include <string>

#include "tools/stencilc/explore/report.h"

namespace stencil::explore {

std::string head_section(const Report& report);  // subject of the exploration, and the winner
std::string ranking_rows(const Report& report);  // table rows of the first candidates
std::string boxes_table(const Report& report);   // halo and stages of the winner's tile
std::string pruned_section(const Report& report);
std::string sources_section(const Report& report);  // of the winner's kernels and the program

}  // namespace stencil::explore
