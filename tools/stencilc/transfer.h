// --in and --out: what the command line says about files, checked before the run.
#pragma once

#include <string>
#include <vector>

#include "runtime/outputs.h"
#include "tools/stencilc/options.h"

namespace stencil::tool {

// The values that an --in or --out speaks of: "U", "U@-1", "S.rho", "S.u[0]", "S.rho@-1". U020 if
// the program has no such field, component or level; the nearest name as a hint.
runtime::Result<runtime::Selection> find_field(const ir::Program& program, const std::string& text);

// Everything about --in, --slice and --checkpoint that can be wrong before the run: names,
// extensions, and directories that do not exist.
runtime::Status check_transfers(const ir::Program& program, const Arguments& arguments);

// The files of --out, several fields for one .vti file together, with the same checks. Planes of
// pictures are set by place_planes().
runtime::Result<std::vector<runtime::Output>> find_outputs(const ir::Program& program,
                                                           const Arguments& arguments);
// R030 for a plane outside of the grid.
runtime::Status place_planes(const ir::Program& program, const Arguments& arguments,
                             const reference::State& state, std::vector<runtime::Output>& outputs);

runtime::Status read_inputs(const ir::Program& program, const Arguments& arguments,
                            reference::State& state);

}  // namespace stencil::tool
