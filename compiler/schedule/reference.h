// The table of settings in docs/reference/schedules.md, from the rows of the families.
#pragma once

#include <string>

namespace stencil::schedule {

// Markdown: a row per setting, with its families, values, default and meaning.
std::string table_of_settings();

}  // namespace stencil::schedule
