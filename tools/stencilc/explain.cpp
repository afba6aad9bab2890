// `stencilc explain`: what the compiler knows about a program and why it chose what it chose.
#include "compiler/driver/compile.h"
#include "compiler/driver/frontend.h"
#include "runtime/api/source.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"
#include "tools/stencilc/machine.h"

namespace stencil::tool {

int explain_command(const Arguments& arguments) {
  const auto source = read_program(arguments);
  if (!source.ok()) return report(source.failure());
  Diagnostics diagnostics;
  std::string text;
  const auto program = load_program(
      source.value(), api::program_options(arguments.program, arguments.file), diagnostics);
  const emit::TargetInfo* target = emit::target_called(arguments.target);
  const emit::TargetInfo& kernels = target ? *target : emit::targets().front();
  const auto machine = pick_machine(arguments, kernels);
  if (!machine.ok()) return report(machine.failure());
  const schedule::Machine for_machine = machine.value().value_or(machine_of(kernels.target));
  if (program) {
    text = explain(*program, source.value(), arguments.schedule, diagnostics, for_machine,
                   arguments.full);
  }
  if (!text.empty() && arguments.counts) {
    const std::string counts =
        explain_counts(*program, arguments.schedule, diagnostics, for_machine, kernels.target);
    if (!counts.empty()) text += "\n" + counts;
  }
  if (const ExitStatus status = report(source.value(), diagnostics)) return status;
  return print_out(text);
}

}  // namespace stencil::tool
