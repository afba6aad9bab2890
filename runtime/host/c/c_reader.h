// Reads C and C++ files with Clang's libTooling. A file becomes the tree for the lifter, or is
// compiled to machine code together with added text.
#pragma once

#include <string>
#include <vector>

#include "runtime/host/compile.h"
#include "runtime/host/interface.h"

namespace stencil::host {

// Returns the tree as text (compiler/lift/c_tree.h), or an error in the form of
// StencilHostInterface::read_c.
Compiled read_c(const StencilHostCFile& file);

// Returns the object or the compiler's messages. Regardless of the flags, operations are never
// contracted to fused multiply-add.
Compiled compile_c(const StencilHostCFile& file, const std::string& added);

}  // namespace stencil::host
