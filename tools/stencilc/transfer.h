// --in, --out, --slice and --checkpoint: converts file arguments to the library's types.
#pragma once

#include "stencil/state.h"
#include "tools/stencilc/options.h"

namespace stencil::tool {

// Checks --in before any file is opened: names (U020), extensions (U021).
Status check_inputs(const Program& program, const Arguments& arguments);
Status read_inputs(const Arguments& arguments, State& state);

// The files that a run writes; several fields for one .vti file are combined. Checks names,
// formats, directories and axes: U013, U020 to U023, R011, R031.
Result<RunFiles> find_files(const Program& program, const Arguments& arguments);

// The files that a finished run has written, for its summary: outputs, the history, `code`. A
// series is one entry, "u_*.npy". The checkpoint is not included.
std::vector<std::string> files_written(const Program& program, const RunFiles& files,
                                       const std::vector<std::string>& code);

}  // namespace stencil::tool
