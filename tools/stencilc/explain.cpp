// `stencilc explain`: what the compiler knows about a program and why it chose what it chose.
#include "compiler/driver/compile.h"
#include "compiler/driver/frontend.h"
#include "runtime/api/source.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

int explain_command(const Arguments& arguments) {
  const auto source = api::read_source(arguments.file);
  if (!source.ok()) return report(source.failure());
  Diagnostics diagnostics;
  std::string text;
  const auto program = load_program(
      source.value(), api::program_options(arguments.program, arguments.file), diagnostics);
  const auto target = arguments.target == "cpp" ? emit::Target::Cpp : emit::Target::Cuda;
  if (program) {
    text =
        explain(*program, source.value(), arguments.schedule, diagnostics, target, arguments.full);
  }
  if (const ExitStatus status = report(source.value(), diagnostics)) return status;
  return print_out(text);
}

}  // namespace stencil::tool
