// Names that the headers of a target define and declare, according to its compilers
// (tools/reserved_names), each followed by a blank.
#pragma once

#include <string_view>

namespace stencil::emit {

extern const std::string_view kCppNames;
extern const std::string_view kCudaNames;  // in addition to those of C++
extern const std::string_view kHipNames;   // in addition to those of C++
extern const std::string_view kOpenClNames;

}  // namespace stencil::emit
