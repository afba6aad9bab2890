// The files in page/, which are embedded in the binary.
#pragma once

#include <string_view>

namespace stencil::explore {

std::string_view page_template();  // page.html, with {{placeholders}} for the report's parts
std::string_view page_style();     // page.css
std::string_view page_script();    // all .js files, concatenated

}  // namespace stencil::explore
