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
// Checked outputs in the form that runtime/run writes; `every` applies to those that give no
// interval. R030 for planes outside the grid, R031.
Result<std::vector<runtime::Output>> placed(const ir::Program& program,
                                            const reference::State& state,
                                            const std::vector<Output>& outputs, int64_t every = 0);
// R038 if a run from the state's step cannot continue a file that grows.
Status check_continued(const ir::Program& program, const reference::State& state,
                       const std::vector<runtime::Output>& outputs);

}  // namespace stencil::api
