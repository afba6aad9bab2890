// `stencilc explain`: what the compiler knows about a program and why it chose what it chose.
#include "compiler/driver/compile.h"
#include "compiler/driver/frontend.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

int explain_command(const Arguments& arguments) {
  const auto source = read_source(arguments);
  if (!source.ok()) return report(source.failure());
  Diagnostics diagnostics;
  std::string text;
  const auto program = load_program(source.value(), program_options(arguments), diagnostics);
  if (program) text = explain(*program, source.value(), arguments.schedule, diagnostics);
  if (const ExitStatus status = report(source.value(), diagnostics)) return status;
  return print_out(text);
}

}  // namespace stencil::tool
