// A report as a page.
#pragma once

#include <string>
#include <string_view>

#include "tools/stencilc/explore/report.h"

namespace stencil::explore {

// One HTML file with everything inside: it asks the network for nothing, and a policy in it keeps
// it from doing so. Drawings are made in the browser; without JavaScript the page has the winner,
// the first 50 candidates, the boxes of the winner's tile, what was pruned, and both sources.
// Whatever comes from the program is text there, never markup.
std::string html_of(const Report& report);

// Text as the content of an HTML element or of a quoted attribute. Line ends and tabs stay; other
// characters that are not seen are written out (support/escape.h).
std::string html_text(std::string_view text);

}  // namespace stencil::explore
