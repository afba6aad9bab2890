// Libraries that are opened at run time: somebody else's, and those parts of the project that need
// what not every machine has.
#pragma once

#include <string>
#include <vector>

namespace stencil::runtime {

// Why dlopen() of `file` has just failed: "is not installed" if there is no such file, else "cannot
// be loaded: ..." with what the dynamic linker says (a library that it needs in turn is missing,
// permissions, a limit on memory). To be asked at once, in the same thread.
std::string why_not_opened(const std::string& file);
inline constexpr const char* kNotInstalled = "is not installed";

// Where a library of the project may be, in order: where the environment variable says, if it is
// set, and nowhere else; beside the executable (../lib, the same directory), beside the library
// that this code is part of, where the dynamic linker looks.
std::vector<std::string> places_of(const char* file, const char* variable);

}  // namespace stencil::runtime
