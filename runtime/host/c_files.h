// C and C++ files for the lifter. Two files define these functions: runtime/host/c/c_files.cpp, and
// without_lift.cpp for builds with STENCIL_LIFT=OFF.
#pragma once

#include <string>

#include "runtime/host/compile.h"

namespace stencil::host {

// The tree of a file as text (compiler/lift/c_tree.h).
Compiled read_c_file(const StencilHostCFile& file);
// An object file of the file with the text `added` at its end.
Compiled compile_c_file(const StencilHostCFile& file, const std::string& added);

}  // namespace stencil::host
