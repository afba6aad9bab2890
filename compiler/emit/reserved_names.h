// What the headers of a target define and declare, as its compilers tell (tools/reserved_names): a
// blank behind every name.
#pragma once

#include <string_view>

namespace stencil::emit {

extern const std::string_view kCppNames;
extern const std::string_view kCudaNames;  // besides those of C++
extern const std::string_view kHipNames;   // besides those of C++
extern const std::string_view kOpenClNames;

}  // namespace stencil::emit
