// A report on the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "tools/stencilc/explore/report.h"

namespace stencil::explore {

// Program, machine and size; the first `rows` candidates, and the chosen one if it is not among
// them; how well prediction and measurement agree; what was pruned; and the command for the winner.
// Lines fit a terminal (support/layout.h), but for words that have no room.
std::string text_of(const Report& report, size_t rows = 10);

}  // namespace stencil::explore
