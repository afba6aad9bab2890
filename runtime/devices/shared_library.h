// Libraries of somebody else's that are opened at run time.
#pragma once

#include <string>

namespace stencil::runtime {

// Why dlopen() of `file` has just failed: "is not installed" if there is no such file, else "cannot
// be loaded: ..." with what the dynamic linker says (a library that it needs in turn is missing,
// permissions, a limit on memory). To be asked at once, in the same thread.
std::string why_not_opened(const std::string& file);
inline constexpr const char* kNotInstalled = "is not installed";

}  // namespace stencil::runtime
