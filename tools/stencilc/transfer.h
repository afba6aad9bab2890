// --in, --out, --slice and --checkpoint: what the command line says about files, as the library
// takes it.
#pragma once

#include "stencil/state.h"
#include "tools/stencilc/options.h"

namespace stencil::tool {

// Everything about --in that can be wrong before its files are opened: names (U020), extensions
// (U021).
Status check_inputs(const Program& program, const Arguments& arguments);
Status read_inputs(const Arguments& arguments, State& state);

// The files that a run writes, several fields for one .vti file together. Names, formats,
// directories and axes are checked: U013, U020 to U023, R011, R031.
Result<RunFiles> find_files(const Program& program, const Arguments& arguments);

}  // namespace stencil::tool
