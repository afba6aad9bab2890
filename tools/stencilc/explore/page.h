// The files of page/, which are part of the binary.
#pragma once

#include <string_view>

namespace stencil::explore {

std::string_view page_template();  // page.html, with {{names}} where the report's parts go
std::string_view page_style();     // page.css
std::string_view page_script();    // the .js files, one after the other

}  // namespace stencil::explore
