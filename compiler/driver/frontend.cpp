// The front end of every subcommand: converts text to stencil IR. Semantic analysis starts only if
// the text parses. Each of the two stages reports all errors that it finds. The result is always
// verified, because all later stages rely on its validity. Verification takes time linear in the
// size of the program.
#include "compiler/driver/frontend.h"

#include "compiler/ir/passes.h"
#include "compiler/support/pass_log.h"
#include "compiler/syntax/parse.h"

namespace stencil {

std::optional<ir::Program> load_program(const Source& source, const ProgramOptions& options,
                                        Diagnostics& diagnostics) {
  const std::optional<ast::Program> syntax = run_pass(
      "parse", [&] { return parse(source, diagnostics); },
      [](const auto& tree) { return tree ? print(*tree) : ""; },
      [](const auto&) { return std::vector<std::string>(); });
  if (!syntax) return std::nullopt;
  return load_program(*syntax, source, options, diagnostics);
}

std::optional<ir::Program> load_program(const ast::Program& syntax, const Source& source,
                                        const ProgramOptions& options, Diagnostics& diagnostics) {
  std::optional<ir::Program> program = analyze(syntax, source, options, diagnostics);
  if (!program) return std::nullopt;
  const std::vector<std::string> problems = ir::verify(*program);
  for (const std::string& problem : problems) {
    diagnostics.error("K002", {}, "internal error: unsound stencil IR: " + problem).hint =
        "this is a bug of stencilc; please report the program";
  }
  if (!problems.empty()) return std::nullopt;
  return program;
}

}  // namespace stencil
