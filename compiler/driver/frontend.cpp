// The front end of every subcommand: converts text to stencil IR. Semantic analysis also runs on
// the items that parse if others do not, so that one error does not hide the next. Each of the two
// stages reports all errors that it finds. The result is always verified, because all later stages
// rely on its validity. Verification takes time linear in the size of the program.
#include "compiler/driver/frontend.h"

#include "compiler/ir/passes.h"
#include "compiler/ir/write.h"
#include "compiler/support/pass_log.h"
#include "compiler/syntax/parse.h"
#include "compiler/syntax/write.h"

namespace stencil {

std::optional<ir::Program> load_program(const Source& source, const ProgramOptions& options,
                                        Diagnostics& diagnostics) {
  const ast::Program syntax = run_pass(
      "parse", [&] { return parse_with_errors(source, diagnostics); },
      [](const ast::Program& tree) { return tree.has_errors ? "" : print(tree); },
      [](const ast::Program&) { return std::vector<std::string>(); });
  if (!syntax.has_errors) return load_program(syntax, source, options, diagnostics);
  analyze(syntax, source, options, diagnostics);
  diagnostics.sort_by_place();
  return std::nullopt;
}

std::optional<std::string> write_program(const Source& source, const ProgramOptions& options,
                                         Diagnostics& diagnostics) {
  const auto syntax = parse(source, diagnostics);
  const auto program =
      syntax ? analyze_mathematics(*syntax, source, options, diagnostics) : std::nullopt;
  const auto text = program ? ir::write(*program, diagnostics) : std::nullopt;
  if (!text) return std::nullopt;
  Diagnostics own;
  const auto tree = parse(Source("written.stn", *text), own);
  if (!tree) {
    diagnostics.error("K002", {}, "internal error: the written program cannot be read").hint =
        "this is a bug of stencilc; please report the program";
    return std::nullopt;
  }
  // the comment is not part of the tree
  return text->substr(0, text->find('\n') + 1) + write(*tree).text;
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
