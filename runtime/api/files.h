// Checks and resolves the files of a run.
#pragma once

#include <vector>

#include "compiler/ir/program.h"
#include "compiler/reference/state.h"
#include "runtime/run/outputs.h"
#include "stencil/files.h"

namespace stencil::api {

// Implements Program::check.
Status check(const ir::Program& program, const RunFiles& files);
// Checked outputs in the form that runtime/run writes. R030 for planes outside the grid.
Result<std::vector<runtime::Output>> placed(const ir::Program& program,
                                            const reference::State& state,
                                            const std::vector<Output>& outputs);

}  // namespace stencil::api
