// Parses and analyses a program in one call. Every subcommand begins with this step.
#pragma once

#include <optional>
#include <string>

#include "compiler/sema/analyze.h"

namespace stencil {

std::optional<ir::Program> load_program(const Source& source, const ProgramOptions& options,
                                        Diagnostics& diagnostics);
// The program as mathematics, as text (ir/write.h), in the layout of `stencilc fmt`. nullopt after
// errors.
std::optional<std::string> write_program(const Source& source, const ProgramOptions& options,
                                         Diagnostics& diagnostics);
// Analyses a syntax tree whose spans are places in `source`.
std::optional<ir::Program> load_program(const ast::Program& syntax, const Source& source,
                                        const ProgramOptions& options, Diagnostics& diagnostics);

}  // namespace stencil
