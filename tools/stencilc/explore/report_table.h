// Reports for the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "tools/stencilc/explore/report.h"

namespace stencil::explore {

// Program, machine and size; the first `rows` candidates and the chosen one; the agreement of
// prediction and measurement; pruned schedules; the command for the winner. Lines fit a terminal
// (support/layout.h), except for words that are too long.
std::string text_of(const Report& report, size_t rows = 10);

}  // namespace stencil::explore
