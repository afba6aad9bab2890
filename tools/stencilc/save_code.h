// --save-code: writes the kernels of a run to files.
#pragma once

#include <optional>
#include <string>

#include "stencil/simulation.h"
#include "tools/stencilc/options.h"

namespace stencil::tool {

// The kind of code by file extension: source text (.cu, .cl, .cpp), PTX (.ptx), machine code
// (.cubin, .bin); nullopt for others.
std::optional<CodeKind> code_kind(const std::string& path);

// Writes all files of --save-code or none. R045 for code that the device does not have.
Status save_code(const Arguments& arguments, const Kernel& kernel);

}  // namespace stencil::tool
