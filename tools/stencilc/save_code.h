// --save-code: the kernels of a run as files.
#pragma once

#include <optional>
#include <string>

#include "stencil/simulation.h"
#include "tools/stencilc/options.h"

namespace stencil::tool {

// What a file of this name holds, by its extension: source text (.cu, .cl, .cpp), PTX (.ptx) or
// machine code (.cubin, .bin); nothing for others.
std::optional<CodeKind> code_kind(const std::string& path);

// Writes every file of --save-code, or none. R045 for code that the device does not have.
Status save_code(const Arguments& arguments, const Kernel& kernel);

}  // namespace stencil::tool
