// `stencilc check`: reports all errors of a program and does nothing else.
#include "compiler/driver/frontend.h"
#include "compiler/ir/passes.h"
#include "runtime/run/source.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

namespace {

// Executes checks that semantic analysis left open, if no param is open.
void check_sizes(const ir::Program& program, Diagnostics& diagnostics) {
  std::vector<double> reals;
  for (const ir::Param& param : program.params) {
    if (param.open() || (is_float(param.type) && !param.real_value)) return;
    reals.push_back(param.real_value.value_or(0));
  }
  const Diagnostics failed = ir::failed_checks(program, {}, reals);
  for (const Diagnostic& error : failed.items()) diagnostics.add(error);
}

}  // namespace

int check_command(const Arguments& arguments) {
  const auto source = read_program(arguments);
  if (!source.ok()) return report(source.failure());
  Diagnostics diagnostics;
  const auto program = load_program(
      source.value(), runtime::program_options(arguments.program, arguments.file), diagnostics);
  if (program) check_sizes(*program, diagnostics);
  return report(source.value(), diagnostics);
}

}  // namespace stencil::tool
