// Formatting: program text in the standard layout, for `stencilc fmt`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compiler/support/diagnostic.h"

namespace stencil {

// The text of `source` in the standard layout. Line breaks stay where they are; indentation, blanks
// and blank lines change. nullopt if the text has syntax errors, which are appended. Formatting the
// result again gives the same text. The result is checked: it has the same tokens and comments, and
// parses to the same tree (otherwise K002).
std::optional<std::string> format(const Source& source, Diagnostics& diagnostics);

// Whether two texts have the same tokens and comments in the same order.
bool same_tokens(std::string_view a, std::string_view b);

}  // namespace stencil
