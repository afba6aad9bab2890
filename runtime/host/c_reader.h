// Reads C and C++ files through Clang's libTooling: as the tree for the lifter, or compiled to
// machine code together with added text.
#pragma once

#include <string>
#include <vector>

#include "runtime/host/compile.h"
#include "runtime/host/interface.h"

namespace stencil::host {

// The tree as text (compiler/lift/c_tree.h), or an error in the form of
// StencilHostInterface::read_c.
Compiled read_c(const StencilHostCFile& file);

// The object, or the compiler's messages. Never contracts to fused multiply-add, whatever the
// flags.
Compiled compile_c(const StencilHostCFile& file, const std::string& added);

}  // namespace stencil::host
