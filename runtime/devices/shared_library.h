// Libraries opened at run time: third-party ones, and parts of the project with dependencies that
// not every machine has.
#pragma once

#include <string>
#include <vector>

namespace stencil::runtime {

// Why dlopen() of `file` has just failed: "is not installed" if there is no such file, otherwise
// "cannot be loaded: ..." with the dynamic linker's message (a missing dependency, permissions, a
// memory limit). Call it immediately, in the same thread.
std::string why_not_opened(const std::string& file);
inline constexpr const char* kNotInstalled = "is not installed";

// Candidate paths for a library of the project, in order. If the environment variable is set, only
// its value; otherwise beside the executable (../lib, the same directory), beside the library that
// contains this code, and the dynamic linker's search path.
std::vector<std::string> places_of(const char* file, const char* variable);

}  // namespace stencil::runtime
