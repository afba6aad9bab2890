// The front end of every subcommand: text to stencil IR. Semantic analysis starts only from a text
// that parses; each of the two stages reports all errors it finds.
#include "compiler/driver/frontend.h"

#include "compiler/syntax/parse.h"

namespace stencil {

std::optional<ir::Program> load_program(const Source& source, const ProgramOptions& options,
                                        Diagnostics& diagnostics) {
  const std::optional<ast::Program> syntax = parse(source, diagnostics);
  if (!syntax) return std::nullopt;
  return analyze(*syntax, source, options, diagnostics);
}

}  // namespace stencil
