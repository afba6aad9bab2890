// Reports as HTML pages.
#pragma once

#include <string>
#include <string_view>

#include "tools/stencilc/explore/report.h"

namespace stencil::explore {

// A self-contained HTML file: it loads nothing from the network, which its content security policy
// enforces. The browser draws the figures. Without JavaScript the page has the winner, the first 50
// candidates, the boxes of the winner's tile, the pruned schedules and both sources. Texts from the
// program never become markup.
std::string html_of(const Report& report);

// Escapes text for the content of an HTML element or a quoted attribute. Line ends and tabs are
// kept; invisible characters are written out (support/escape.h).
std::string html_text(std::string_view text);

}  // namespace stencil::explore
