// --in and --out: fields from and to files.
#pragma once

#include <string>
#include <vector>

#include "runtime/run.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

// Which values an --in or --out speaks of: "U", "U@-1", "S.rho", "S.u[0]", "S.rho@-1".
struct FieldReference {
  ir::FieldId field = 0;
  int level = 0;
  int component = -1;  // -1: all of them
};

// U020 if the program has no such field, component or level; the nearest name as a hint.
runtime::Result<FieldReference> find_field(const ir::Program& program, const std::string& text);

// Everything about --in, --out and --slice that can be wrong before the run: names, extensions, and
// directories that do not exist.
runtime::Status check_transfers(const ir::Program& program, const Arguments& arguments);

runtime::Status read_inputs(const ir::Program& program, const Arguments& arguments,
                            reference::State& state);
runtime::Result<std::vector<OutputFile>> format_outputs(const ir::Program& program,
                                                        const Arguments& arguments,
                                                        const reference::State& state);

}  // namespace stencil::tool
