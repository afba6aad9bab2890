// parse + analyze in one call: the first step of every subcommand.
#pragma once

#include <optional>

#include "compiler/sema/analyze.h"

namespace stencil {

std::optional<ir::Program> load_program(const Source& source, const ProgramOptions& options,
                                        Diagnostics& diagnostics);
// From a syntax tree whose spans are places in `source`.
std::optional<ir::Program> load_program(const ast::Program& syntax, const Source& source,
                                        const ProgramOptions& options, Diagnostics& diagnostics);

}  // namespace stencil
