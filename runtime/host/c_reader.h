// C and C++ files through Clang's libTooling: to the tree that the lifter works on, or to machine
// code of the file with something added to it.
#pragma once

#include <string>
#include <vector>

#include "runtime/host/compile.h"
#include "runtime/host/interface.h"

namespace stencil::host {

// A tree as text (compiler/lift/c_tree.h), or what StencilHostInterface::read_c says of errors.
Compiled read_c(const StencilHostCFile& file);

// An object, or the messages of the compiler. No product is fused, whatever the flags say.
Compiled compile_c(const StencilHostCFile& file, const std::string& added);

}  // namespace stencil::host
